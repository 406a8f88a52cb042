#include "model/files/hf_attention.h"

#include "model/files/hf_families.h"
#include "model/files/hf_windows.h"
#include "model/files/limits.h"

namespace kv {

namespace {

// Falcon has three layouts: groups of query heads, one head for all queries, or as many as queries.
int64_t falcon_kv_heads(HfFields& fields, const ModelConfig& config) {
  if (fields.boolean_or("new_decoder_architecture", fields.find({"n_head_kv"}).has_value()))
    return fields.size_or({"num_kv_heads", "n_head_kv"}, kMaxHeads, config.heads, "as many as heads");
  return fields.boolean_or("multi_query", true) ? 1 : config.heads;
}

// The field is newer than multi-head attention. Transformers takes an explicit null for "as many as heads" in every
// family, but a missing field for its class's own default.
int64_t kv_heads(HfFields& fields, const ModelConfig& config) {
  switch (config.family) {
    case Family::falcon: return falcon_kv_heads(fields, config);
    case Family::gpt_bigcode: return fields.boolean_or("multi_query", true) ? 1 : config.heads;
    case Family::gpt2:
    case Family::gpt_neox:
    case Family::opt: return config.heads;
    default: break;
  }
  const int64_t otherwise = hf_family(config.family).kv_heads;
  if (otherwise == 0 || fields.object().contains("num_key_value_heads"))
    return fields.size_or("num_key_value_heads", kMaxHeads, config.heads, "as many as heads");
  return fields.size_or("num_key_value_heads", kMaxHeads, otherwise,
                        fmt::format("the default of {}", name_of(config.family)));
}

// Whether the family's classes look at head_dim at all; the others divide, whatever a file says.
bool has_head_dim(Family family) {
  switch (family) {
    case Family::falcon:
    case Family::gpt2:
    case Family::gpt_bigcode:
    case Family::gpt_neox:
    case Family::opt: return false;
    default: return true;
  }
}

// Many models state a head_dim other than hidden_size / num_attention_heads: only silence allows the division.
int64_t head_dim(HfFields& fields, const ModelConfig& config) {
  const bool has_field = has_head_dim(config.family);
  if (has_field && fields.find("head_dim")) return fields.size("head_dim", kMaxHeadDim);
  if (const int64_t otherwise = hf_family(config.family).head_dim; otherwise != 0)
    return fields.size_or("head_dim", kMaxHeadDim, otherwise, fmt::format("the default of {}", name_of(config.family)));
  if (const HfKeys keys = hf_keys(config.family); config.model_dim % config.heads != 0)
    fields.object().fail(fmt::format("has {} {} ({}) that is no multiple of {} ({})",
                                     has_field ? "no head_dim, and a" : "a", keys.model_dim.name, config.model_dim,
                                     keys.heads.name, config.heads));
  const int64_t quotient = config.model_dim / config.heads;
  if (quotient > kMaxHeadDim) fields.object().fail(fmt::format("gives heads of {} values", quotient));
  if (has_field) fields.assume("head_dim", std::to_string(quotient), "hidden_size / num_attention_heads");
  return quotient;
}

}  // namespace

void read_hf_attention(HfFields& fields, ModelConfig& config) {
  config.kv_heads = kv_heads(fields, config);
  if (config.heads % config.kv_heads != 0)
    fields.object().fail(fmt::format("num_attention_heads ({}) is not a multiple of num_key_value_heads ({})",
                                     config.heads, config.kv_heads));
  config.key_head_dim = config.value_head_dim = head_dim(fields, config);
  for (const int64_t window : read_hf_windows(fields, config))
    config.layer_cache.push_back(
        LayerCache::per_head(config.kv_heads, config.key_head_dim, config.value_head_dim, window));
}

// --- Latent attention ---

namespace {

// DeepSeek's code fixes the size of a value head, MiniCPM's divides.
int64_t value_head_dim(HfFields& fields, const ModelConfig& config) {
  if (config.family != Family::minicpm3) return fields.size_or("v_head_dim", kMaxHeadDim, 128);
  if (fields.find("v_head_dim")) return fields.size("v_head_dim", kMaxHeadDim);
  if (config.model_dim % config.heads != 0 || config.model_dim / config.heads > kMaxHeadDim)
    fields.object().fail(
        fmt::format("has no v_head_dim, and hidden_size ({}) / num_attention_heads ({}) is no such size",
                    config.model_dim, config.heads));
  return fields.size_or("v_head_dim", kMaxHeadDim, config.model_dim / config.heads,
                        "hidden_size / num_attention_heads");
}

}  // namespace

void read_hf_latent_attention(HfFields& fields, ModelConfig& config) {
  const bool small = config.family == Family::minicpm3;
  LatentConfig& latent = config.latent;
  latent.latent_dim = fields.size_or("kv_lora_rank", kMaxDim, small ? 256 : 512);
  if (!fields.is_null("q_lora_rank"))  // null: none
    latent.query_latent_dim = fields.size_or("q_lora_rank", kMaxDim, small ? 768 : 1536);
  latent.nope_dim = fields.size_or("qk_nope_head_dim", kMaxHeadDim, small ? 64 : 128);
  latent.rope_dim = fields.size_or("qk_rope_head_dim", kMaxHeadDim, small ? 32 : 64);
  config.value_head_dim = value_head_dim(fields, config);
  config.key_head_dim = latent.nope_dim + latent.rope_dim;
  config.kv_heads = config.heads;
  const int64_t stated = fields.size_or("num_key_value_heads", kMaxHeads, config.heads, "as many as heads");
  if (stated != config.heads)
    fields.cannot_run(
        fields.object().at("num_key_value_heads"),
        fmt::format("is {}; latent attention has as many as num_attention_heads ({})", stated, config.heads));
  const bool interleaved = config.family != Family::deepseek_v3 || fields.boolean_or("rope_interleave", true);
  config.rope.pairing = interleaved && !small ? RopeConfig::Pairing::interleaved : RopeConfig::Pairing::half;
  config.layer_cache.assign(static_cast<size_t>(config.layers), LayerCache::latent(latent.latent_dim, latent.rope_dim));
  read_hf_windows(fields, config);  // a layer_types may confirm that there are none
}

}  // namespace kv
