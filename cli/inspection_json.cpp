// An inspection as programs read it: everything, nothing condensed.
#include "cli/cache_facts.h"
#include "cli/inspection.h"
#include "cli/json_output.h"

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Dtype kCacheDtype = Dtype::bf16;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

const char* name_of(RopeConfig::Scaling scaling) {
  switch (scaling) {
    case RopeConfig::Scaling::none: return "none";
    case RopeConfig::Scaling::linear: return "linear";
    case RopeConfig::Scaling::llama3: return "llama3";
    case RopeConfig::Scaling::yarn: return "yarn";
  }
  return "?";
}

Json rope_json(const RopeConfig& rope) {
  Json json = {{"dim", rope.dim},
               {"theta", rope.theta},
               {"pairing", rope.pairing == RopeConfig::Pairing::half ? "half" : "interleaved"},
               {"scaling", name_of(rope.scaling)}};
  if (!rope.divisors.empty()) json["divisors"] = rope.divisors;
  if (rope.scaling == RopeConfig::Scaling::none) return json;
  json["factor"] = rope.factor;
  if (rope.scaling == RopeConfig::Scaling::linear) return json;
  json["original_context"] = rope.original_context;
  if (rope.scaling == RopeConfig::Scaling::llama3) {
    json["low_freq_factor"] = rope.low_freq_factor;
    json["high_freq_factor"] = rope.high_freq_factor;
    return json;
  }
  json["beta_fast"] = rope.beta_fast;
  json["beta_slow"] = rope.beta_slow;
  json["mscale"] = rope.mscale;
  json["mscale_all_dim"] = rope.mscale_all_dim;
  json["attention_factor"] = or_null(rope.attention_factor);
  json["truncate"] = rope.truncate;
  return json;
}

Json layer_json(const LayerCache& cache) {
  switch (cache.kind) {
    case LayerCache::Kind::per_head:
      return {{"kind", "per_head"},
              {"kv_heads", cache.kv_heads},
              {"key_head_dim", cache.key_head_dim},
              {"value_head_dim", cache.value_head_dim},
              {"window", cache.window}};
    case LayerCache::Kind::latent:
      return {
          {"kind", "latent"}, {"latent_dim", cache.latent_dim}, {"rope_dim", cache.rope_dim}, {"window", cache.window}};
    case LayerCache::Kind::shared: return {{"kind", "shared"}, {"source", cache.source}, {"window", cache.window}};
    case LayerCache::Kind::none: return {{"kind", "none"}};
  }
  return nullptr;
}

Json sizes_json(const ModelConfig& config) {
  Json layers = Json::array();
  for (const LayerSizes& sizes : config.layer_sizes)
    layers.push_back({{"heads", sizes.heads}, {"kv_heads", sizes.kv_heads}, {"hidden_dim", sizes.hidden_dim}});
  return layers;
}

Json count_or_null(const std::optional<int64_t>& count) { return count ? Json(*count) : Json(nullptr); }

void add_config(Json& json, const ModelConfig& config, const std::optional<int64_t>& parameters) {
  json["model"] = config.name;
  json["family"] = kv::name_of(config.family);
  json["attention"] = attention_kind(config);
  json["parameters"] = count_or_null(parameters);
  json["layers"] = config.layers;
  json["model_dim"] = config.model_dim;
  json["hidden_dim"] = config.hidden_dim;
  json["vocab"] = config.vocab;
  json["max_context"] = config.max_context;
  json["heads"] = config.heads;
  json["kv_heads"] = config.kv_heads;
  json["key_head_dim"] = config.key_head_dim;
  json["value_head_dim"] = config.value_head_dim;
  if (!config.layer_sizes.empty()) json["layer_sizes"] = sizes_json(config);
  if (config.experts.count > 0) json["experts"] = {{"count", config.experts.count}, {"used", config.experts.used}};
  if (config.has_latent_attention())
    json["latent"] = {{"query_latent_dim", config.latent.query_latent_dim},
                      {"latent_dim", config.latent.latent_dim},
                      {"nope_dim", config.latent.nope_dim},
                      {"rope_dim", config.latent.rope_dim},
                      {"norm_eps", config.latent.norm_eps}};
  json["rope"] = rope_json(config.rope);
  json["norm_eps"] = config.norm_eps;
  json["query_key_norm"] = config.query_key_norm;
  json["qkv_bias"] = config.qkv_bias;
  json["output_bias"] = config.output_bias;
  json["feed_forward_bias"] = config.feed_forward_bias;
  json["tied_embeddings"] = config.tied_embeddings;
  json["weights_dtype"] = kv::name_of(config.weights_dtype);
  json["begin_token"] = or_null(config.begin_token);
  json["end_tokens"] = config.end_tokens;
  json["dtype"] = kv::name_of(kCacheDtype);
  json["kv_bytes_per_token"] = config.cache_bytes(1, kCacheDtype);
  json["kv_bytes_per_token_past_window"] = bytes_per_token_past_windows(config, kCacheDtype);
  json["formula"] = bytes_per_token_formula(config, kCacheDtype);
  json["layer_cache"] = Json::array();
  for (const LayerCache& cache : config.layer_cache) json["layer_cache"].push_back(layer_json(cache));
  json["assumed"] = config.assumed;
}

Json tokenizer_json(const Inspection& found) {
  const Tokenizer& tokenizer = *found.tokenizer;
  Json specials = Json::array();
  for (const int32_t id : tokenizer.special_tokens())
    specials.push_back({{"id", id}, {"text", tokenizer.token_label(id)}});
  Json json = {{"kind", found.tokenizer_kind},
               {"tokens", tokenizer.size()},
               {"begin_token", or_null(tokenizer.begin_token())},
               {"bytes_without_token", tokenizer.bytes_without_token()},
               {"special_tokens", specials}};
  if (!found.pre_tokenizer.empty()) json["pre_tokenizer"] = found.pre_tokenizer;
  return json;
}

Json chat_json(const std::optional<ChatTemplateText>& text) {
  if (!text) return nullptr;
  const std::optional<ChatTemplate> known = ChatTemplate::recognise(*text);
  Json json = {{"name", known ? Json(known->name()) : Json(nullptr)}, {"jinja", text->jinja}};
  if (known && !known->default_system().empty()) json["default_system"] = known->default_system();
  return json;
}

}  // namespace

std::string json_of(const Inspection& found) {
  Json json;
  json["path"] = found.path;
  if (!found.format.empty()) {
    json["format"] = found.format;
    json["architecture"] = found.architecture;
  }
  if (found.config)
    add_config(json, *found.config, found.parameters);
  else if (found.describes_model())
    json["parameters"] = count_or_null(found.parameters);
  if (found.describes_model()) {
    json["tokenizer"] = found.tokenizer ? tokenizer_json(found) : Json(nullptr);
    if (!found.tokenizer) json["no_tokenizer"] = found.no_tokenizer;
    json["chat_template"] = chat_json(found.chat_template);
  }
  if (!found.metadata.is_null()) json["metadata"] = found.metadata;
  json["weights_bytes"] = found.weights_bytes();
  json["tensors"] = Json::array();
  for (const InspectedTensor& tensor : found.tensors)
    json["tensors"].push_back(
        {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"bytes", tensor.bytes}});
  json["notes"] = found.notes;
  return document_text(json);
}

}  // namespace kv::cli
