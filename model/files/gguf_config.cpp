#include "model/files/gguf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "model/blocks.h"
#include "model/error.h"
#include "model/files/gguf_fields.h"
#include "model/files/gguf_tokenizer.h"
#include "model/files/limits.h"
#include "model/files/stored_weights.h"
#include "model/parameters.h"

namespace kv {

namespace {

struct Architecture {
  std::string_view name;
  Family family;
};
constexpr std::array<Architecture, 6> kArchitectures = {{
    {"llama", Family::llama},
    {"qwen2", Family::qwen2},
    {"qwen3", Family::qwen3},
    {"deepseek2", Family::deepseek_v2},
    {"qwen2moe", Family::qwen2_moe},
    {"qwen3moe", Family::qwen3_moe},
}};

Family family_of(const Gguf& file) {
  const GgufValue& value = file.at("general.architecture");
  for (const Architecture& architecture : kArchitectures)
    if (value.text() == architecture.name) return architecture.family;
  value.fail(fmt::format("is {}; kvlab reads llama, qwen2, qwen3, deepseek2, qwen2moe and qwen3moe", value.shown()));
}

// Reads one file. Each function fills what its name says.
class Reader {
 public:
  explicit Reader(const Gguf& file)
      : file_(file), fields_(file, file.at("general.architecture").text(), config_.assumed) {
    config_.family = family_of(file);
  }

  ModelConfig read() {
    config_.name = std::filesystem::path(file_.path).stem().string();
    refuse_unknown_computation();
    config_.layers = fields_.size("block_count", kMaxLayers);
    read_experts();
    read_sizes();
    if (config_.family == Family::deepseek_v2)
      read_latent_attention();
    else
      read_per_head_attention();
    read_rope();
    read_tensors();
    read_tokens();
    return std::move(config_);
  }

 private:
  // Keys of other architectures that would change the computation, were they written here.
  void refuse_unknown_computation() const {
    for (const char* key :
         {"attention.sliding_window", "attention.sliding_window_pattern", "attention.temperature_scale",
          "attention.scale", "attention.clamp_kqv", "attention.max_alibi_bias", "logit_scale", "embedding_scale",
          "residual_scale", "attn_logit_softcapping", "final_logit_softcapping"})
      if (const GgufValue* found = fields_.find(key))
        found->fail(fmt::format("is {}; in this architecture kvlab does not compute that", found->shown()));
    if (const GgufValue* causal = fields_.find("attention.causal"); causal != nullptr && !causal->boolean())
      causal->fail("is false; kvlab computes causal attention");
  }

  void read_sizes() {
    config_.model_dim = fields_.size("embedding_length", kMaxDim);
    config_.max_context = fields_.size("context_length", kMaxContext);
    config_.norm_eps = fields_.at("attention.layer_norm_rms_epsilon").number();
    if (!(config_.norm_eps >= 0 && config_.norm_eps < 1))
      fields_.at("attention.layer_norm_rms_epsilon").fail(fmt::format("is {}, expected 0 to 1", config_.norm_eps));
    read_layer_sizes();
  }

  void read_layer_sizes() {
    const std::vector<int64_t> heads = fields_.per_layer("attention.head_count", config_.layers, kMaxHeads);
    // A file of nothing but experts may state their size alone.
    const bool has_dense = config_.experts.count == 0 || fields_.find("feed_forward_length") != nullptr;
    const std::vector<int64_t> hidden = fields_.per_layer(
        has_dense ? "feed_forward_length" : "expert_feed_forward_length", config_.layers, kMaxHiddenDim);
    std::vector<int64_t> kv_heads = heads;
    if (fields_.find("attention.head_count_kv") != nullptr)
      kv_heads = fields_.per_layer("attention.head_count_kv", config_.layers, kMaxHeads);
    else
      fields_.assume("attention.head_count_kv", fmt::format("{}", heads.front()), "as many as head_count");

    const auto largest = [](const std::vector<int64_t>& sizes) {
      return *std::max_element(sizes.begin(), sizes.end());
    };
    config_.heads = largest(heads);
    config_.kv_heads = largest(kv_heads);
    config_.hidden_dim = largest(hidden);
    const auto alike = [](const std::vector<int64_t>& sizes) {
      return std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size == sizes.front(); });
    };
    const int64_t dense = config_.experts.count > 0 ? dense_layers() : 0;
    if (alike(heads) && alike(kv_heads) && alike(hidden) && dense == 0) return;
    for (size_t layer = 0; layer < heads.size(); ++layer)
      config_.layer_sizes.push_back({heads[layer], kv_heads[layer], hidden[layer],
                                     config_.experts.count > 0 && static_cast<int64_t>(layer) >= dense});
  }

  // Files of experts state the size of one, or let the dense layers' size stand for it (llama, which is Mixtral).
  void read_experts() {
    ExpertsConfig& experts = config_.experts;
    experts.count = fields_.count("expert_count", kMaxExperts);
    // DeepSeek's first layers are dense, and a small model of that kind may have no others.
    if (experts.count == 0 || dense_layers() >= config_.layers) {
      experts = {};
      return;
    }
    experts.used = fields_.count("expert_used_count", experts.count);
    const bool own_size = fields_.find("expert_feed_forward_length") != nullptr;
    const char* const size = own_size ? "expert_feed_forward_length" : "feed_forward_length";
    experts.hidden_dim = fields_.per_layer(size, config_.layers, kMaxHiddenDim).back();
    experts.shared_gate = config_.family == Family::qwen2_moe;
    experts.shared_hidden_dim = shared_hidden_dim();
    experts.router_bias = file_.find_tensor(fmt::format("blk.{}.exp_probs_b.bias", config_.layers - 1)) != nullptr;
    if (config_.family == Family::llama) config_.family = Family::mixtral;
    config_.cannot_run = fmt::format(
        "is a mixture of {} experts; kvlab inspects and sizes such a model, but runs dense layers only", experts.count);
  }

  int64_t dense_layers() const {
    return config_.family == Family::deepseek_v2 ? fields_.count("leading_dense_block_count", kMaxLayers) : 0;
  }

  // DeepSeek files count shared experts of the others' size; Qwen's state a size.
  int64_t shared_hidden_dim() const {
    if (const int64_t size = fields_.count("expert_shared_feed_forward_length", kMaxHiddenDim); size > 0) return size;
    return fields_.count("expert_shared_count", kMaxExperts) * config_.experts.hidden_dim;
  }

  // --- Attention with keys and values per head ---

  void read_per_head_attention() {
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const LayerSizes sizes = config_.sizes_of(layer);
      if (sizes.heads % sizes.kv_heads != 0)
        fields_.at("attention.head_count_kv")
            .fail(fmt::format("gives layer {} {} KV heads, of which its {} heads are no multiple", layer,
                              sizes.kv_heads, sizes.heads));
    }
    config_.key_head_dim = head_dim("attention.key_length");
    config_.value_head_dim = head_dim("attention.value_length");
    config_.query_key_norm = config_.family == Family::qwen3 || config_.family == Family::qwen3_moe;
    for (int64_t layer = 0; layer < config_.layers; ++layer)
      config_.layer_cache.push_back(
          LayerCache::per_head(config_.sizes_of(layer).kv_heads, config_.key_head_dim, config_.value_head_dim));
  }

  // Many models have another head_dim than model_dim / heads, and say so: only silence allows the division.
  int64_t head_dim(const char* key) {
    if (fields_.find(key) != nullptr) return fields_.size(key, kMaxHeadDim);
    const GgufValue& heads = fields_.at("attention.head_count");
    if (heads.is_array() || config_.model_dim % config_.heads != 0 || config_.model_dim / config_.heads > kMaxHeadDim)
      heads.fail(fmt::format("is {}, which does not give a head size from an embedding_length of {}, and {} is absent",
                             heads.shown(), config_.model_dim, fields_.name(key)));
    return fields_.size_or(key, kMaxHeadDim, config_.model_dim / config_.heads, "embedding_length / head_count");
  }

  // --- Latent attention. Files since April 2025 state head sizes in *_mla keys and the cache's in the plain ones. ---

  void read_latent_attention() {
    LatentConfig& latent = config_.latent;
    latent.latent_dim = fields_.size("attention.kv_lora_rank", kMaxDim);
    latent.query_latent_dim = fields_.count("attention.q_lora_rank", kMaxDim);
    latent.rope_dim = fields_.size("rope.dimension_count", kMaxHeadDim);
    if (latent.rope_dim % 2 != 0)
      fields_.at("rope.dimension_count").fail(fmt::format("is {}, expected an even number", latent.rope_dim));
    const bool split = fields_.count("attention.key_length_mla", kMaxHeadDim) > 0 &&
                       fields_.count("attention.value_length_mla", kMaxHeadDim) > 0;
    const char* const key_length = split ? "attention.key_length_mla" : "attention.key_length";
    config_.key_head_dim = fields_.size(key_length, kMaxHeadDim);
    config_.value_head_dim = fields_.size(split ? "attention.value_length_mla" : "attention.value_length", kMaxHeadDim);
    latent.nope_dim = config_.key_head_dim - latent.rope_dim;
    if (latent.nope_dim <= 0)
      fields_.at(key_length)
          .fail(fmt::format("is {}, of which the rotated part alone takes {} (rope.dimension_count)",
                            config_.key_head_dim, latent.rope_dim));
    require_alike_heads();
    // Readers keep one latent head; the projections have as many KV heads as heads.
    config_.kv_heads = config_.heads;
    for (LayerSizes& sizes : config_.layer_sizes) sizes.kv_heads = config_.heads;
    config_.layer_cache.assign(static_cast<size_t>(config_.layers),
                               LayerCache::latent(latent.latent_dim, latent.rope_dim));
    config_.assumed.push_back(
        fmt::format("The norms inside latent attention add {}, as in DeepSeek's own code; the file has no key for it.",
                    latent.norm_eps));
  }

  void require_alike_heads() {
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const LayerSizes sizes = config_.sizes_of(layer);
      if (sizes.heads != config_.heads)
        fields_.at("attention.head_count").fail("differs between layers, which latent attention does not");
      if (sizes.kv_heads != 1 && sizes.kv_heads != sizes.heads)
        fields_.at("attention.head_count_kv")
            .fail(fmt::format("is {}; latent attention has 1, or as many as head_count ({})", sizes.kv_heads,
                              sizes.heads));
    }
  }

  // --- Rotation ---

  void read_rope() {
    RopeConfig& rope = config_.rope;
    const bool latent = config_.has_latent_attention();
    rope.dim = latent ? config_.latent.rope_dim : config_.key_head_dim;
    rope.pairing = latent ? RopeConfig::Pairing::interleaved : RopeConfig::Pairing::half;
    if (const GgufValue* found = fields_.find("rope.dimension_count");
        found && found->integer(1, kMaxHeadDim) != rope.dim)
      found->fail(fmt::format("is {}; kvlab rotates whole heads, of {} values", found->shown(), rope.dim));
    rope.theta = fields_.number_or("rope.freq_base", 10000);
    if (!(rope.theta > 0)) fields_.at("rope.freq_base").fail("is not positive");
    read_rope_scaling();
    read_rope_divisors();
  }

  // A factor without a type means "linear"; 0 means none.
  void read_rope_scaling() {
    RopeConfig& rope = config_.rope;
    const GgufValue* type = fields_.find("rope.scaling.type");
    const std::string_view kind = type == nullptr ? "linear" : type->text();
    const GgufValue* factor = fields_.find("rope.scaling.factor");
    if (factor == nullptr) factor = fields_.find("rope.scale_linear");  // as older files call it
    if (factor != nullptr && factor->number() < 0) factor->fail("is negative");
    if (kind != "none" && kind != "linear" && kind != "yarn")
      type->fail(fmt::format("is {}; kvlab reads none, linear and yarn", type->shown()));
    if (kind == "none" || factor == nullptr || factor->number() == 0 || (kind == "linear" && factor->number() == 1))
      return;
    rope.factor = factor->number();
    rope.scaling = kind == "yarn" ? RopeConfig::Scaling::yarn : RopeConfig::Scaling::linear;
    if (kind == "yarn") read_yarn();
  }

  void read_yarn() {
    RopeConfig& rope = config_.rope;
    rope.original_context =
        fields_.size_or("rope.scaling.original_context_length", kMaxContext, config_.max_context, "the context_length");
    if (!(rope.theta > 1)) fields_.at("rope.freq_base").fail("is not above 1, which yarn needs");
    const auto given = [&](const char* key, double& value) {
      const GgufValue* found = fields_.find(key);
      if (found == nullptr) return false;
      value = found->number();
      if (!(value > 0)) found->fail("is not positive");
      return true;
    };
    given("rope.scaling.yarn_beta_fast", rope.beta_fast);
    given("rope.scaling.yarn_beta_slow", rope.beta_slow);
    if (const GgufValue* mixed = fields_.find("rope.scaling.yarn_ext_factor"); mixed && mixed->number() != 1)
      mixed->fail(fmt::format("is {}; kvlab computes with 1", mixed->number()));
    // Files state a factor on top of yarn's own growth of cos and sin.
    double on_top = 1;
    if (given("rope.scaling.attn_factor", on_top) || given("rope.scaling.yarn_attn_factor", on_top))
      rope.attention_factor = on_top * (rope.factor <= 1 ? 1.0 : 0.1 * std::log(rope.factor) + 1.0);
    // DeepSeek scales the scores instead, and leaves cos and sin alone. The key holds a tenth of mscale_all_dim.
    if (config_.has_latent_attention()) {
      rope.attention_factor = on_top;
      double tenth = 0;
      if (given("rope.scaling.yarn_log_multiplier", tenth)) rope.mscale = rope.mscale_all_dim = tenth * 10;
    }
  }

  // Llama 3's scaling stands in no key: converters write what it divides each pair's frequency by.
  void read_rope_divisors() {
    for (const char* name : {"rope_factors_long.weight", "rope_factors_short.weight"})
      if (file_.find_tensor(name) != nullptr)
        throw FormatError(file_.path, fmt::format("{} belongs to longrope, which kvlab does not compute", name));
    const GgufTensor* tensor = file_.find_tensor("rope_freqs.weight");
    if (tensor == nullptr) return;
    const Dtype dtype = dtype_of(file_.path, tensor->name, tensor->stored);
    const int64_t pairs = config_.rope.dim / 2;
    if (tensor->stored.shape != std::vector{pairs} || is_block_type(dtype))
      throw FormatError(file_.path, fmt::format("{} (at byte {}) is {} {}, expected {} plain values, one for each pair",
                                                tensor->name, tensor->stored.file_offset, tensor->stored.dtype,
                                                shape_text(tensor->stored.shape), pairs));
    config_.rope.divisors.resize(static_cast<size_t>(pairs));
    widen_row(dtype, tensor->stored.bytes.data(), pairs, config_.rope.divisors.data());
    for (const double divisor : config_.rope.divisors)
      if (!(divisor > 0 && std::isfinite(divisor)))
        throw FormatError(file_.path, fmt::format("{} (at byte {}) holds {}, expected positive numbers", tensor->name,
                                                  tensor->stored.file_offset, divisor));
  }

  // --- What only the tensors tell ---

  void read_tensors() {
    const auto has = [&](const char* name) { return file_.find_tensor(name) != nullptr; };
    config_.tied_embeddings = !has("output.weight");
    config_.qkv_bias = has("blk.0.attn_q.bias") || has("blk.0.attn_q_a.bias") || has("blk.0.attn_kv_a_mqa.bias");
    config_.output_bias = has("blk.0.attn_output.bias");
    config_.feed_forward_bias = has("blk.0.ffn_gate.bias");
    read_vocab();
  }

  // The embedding decides which ids there are; the keys are about its text.
  void read_vocab() {
    const GgufValue* stated = fields_.find("vocab_size");
    const GgufValue* tokens = file_.find("tokenizer.ggml.tokens");
    const GgufTensor* table = file_.find_tensor("token_embd.weight");
    if (table != nullptr && table->stored.shape.size() == 2 && table->stored.shape[0] >= 1 &&
        table->stored.shape[0] <= kMaxVocab)
      config_.vocab = table->stored.shape[0];
    else if (stated != nullptr)
      config_.vocab = stated->integer(1, kMaxVocab);
    else if (tokens != nullptr && tokens->is_array() && tokens->size() > 0)
      config_.vocab = tokens->size();
    else
      throw FormatError(file_.path,
                        "has neither token_embd.weight nor a vocab_size: nothing says how many tokens there are");
    if (stated != nullptr && stated->integer(1, kMaxVocab) != config_.vocab)
      config_.assumed.push_back(
          fmt::format("{} is {}, but token_embd.weight has {} rows: those are the ids that there are.", stated->key(),
                      stated->shown(), config_.vocab));
  }

  // Tokens that only the tokenizer would use are its own business: a damaged one is reported where it is read.
  void read_tokens() {
    if (const GgufValue* begin = file_.find("tokenizer.ggml.bos_token_id"))
      config_.begin_token = begin->integer(0, kMaxVocab);
    try {
      config_.end_tokens = gguf_end_tokens(file_);
    } catch (const FormatError&) {
      config_.end_tokens.clear();
    }
  }

  const Gguf& file_;
  ModelConfig config_;
  GgufFields fields_;
};

}  // namespace

ModelConfig read_gguf_config(const Gguf& file) {
  ModelConfig config = Reader(file).read();
  try {
    validate(config);
    count_parameters(config);  // more than can be counted are no model
  } catch (const std::invalid_argument& error) {
    throw FormatError(file.path, error.what());
  } catch (const std::overflow_error& error) {
    throw FormatError(file.path, error.what());
  }
  return config;
}

}  // namespace kv
