#include "model/files/hf_config.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "model/error.h"
#include "model/files/hf_fields.h"
#include "model/files/hf_rope.h"
#include "model/files/limits.h"

namespace kv {

namespace {

// What a family takes for granted when its config is silent: the defaults of transformers' configuration classes.
struct FamilyDefaults {
  Family family;
  int64_t max_context;
  int64_t kv_heads;  // 0: as many as heads
  int64_t head_dim;  // 0: hidden_size / num_attention_heads
};
constexpr std::array<FamilyDefaults, 6> kFamilies = {{
    {Family::llama, 2048, 0, 0},
    {Family::mistral, 131072, 8, 0},
    {Family::qwen2, 32768, 32, 0},
    {Family::qwen3, 32768, 32, 128},
    {Family::deepseek_v2, 2048, 0, 0},
    {Family::deepseek_v3, 4096, 0, 0},
}};

FamilyDefaults family_of(const JsonValue& model) {
  const JsonValue type = model.at("model_type");
  for (const FamilyDefaults& defaults : kFamilies)
    if (type.text() == name_of(defaults.family)) return defaults;
  type.fail(fmt::format("is {}; kvlab runs llama, mistral, qwen2, qwen3, deepseek_v2 and deepseek_v3", type.shown()));
}

// The language model's part of the config: multimodal models keep it in an object of its own.
JsonValue language_part(const JsonValue& document) { return document.find("text_config").value_or(document); }

// Refuses what would change the computation in a way that the forward pass does not follow.
void refuse_unknown_computation(const JsonValue& config) {
  for (const char* key : {"quantization_config", "compression_config", "attn_logit_softcapping",
                          "final_logit_softcapping", "query_pre_attn_scalar", "attention_multiplier",
                          "attention_chunk_size", "no_rope_layers", "num_local_experts", "num_experts"})
    if (const auto found = config.find(key))
      found->fail(fmt::format("is {}; kvlab does not compute that", found->shown()));
  for (const char* key :
       {"pretraining_tp", "embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale"})
    if (const auto found = config.find(key); found && found->number() != 1)
      found->fail(fmt::format("is {}; kvlab computes with 1 only", found->shown()));
  if (const auto activation = config.find("hidden_act"); activation && activation->text() != "silu")
    activation->fail(fmt::format("is {}; kvlab computes silu", activation->shown()));
}

// Reads one config. Each function fills what its name says.
class Reader {
 public:
  explicit Reader(const JsonValue& document)
      : document_(document),
        model_(language_part(document)),
        fields_(model_, config_.assumed),
        defaults_(family_of(model_)) {
    config_.family = defaults_.family;
  }

  ModelConfig read() {
    refuse_unknown_computation(document_);
    refuse_unknown_computation(model_);
    if (!model_.find("hidden_act")) fields_.assume("hidden_act", "silu", "");
    read_sizes();
    if (is_latent())
      read_latent_attention();
    else
      read_per_head_attention();
    read_biases();
    read_rest();
    return std::move(config_);
  }

 private:
  bool is(Family family) const { return config_.family == family; }
  bool is_latent() const { return is(Family::deepseek_v2) || is(Family::deepseek_v3); }
  bool is_qwen() const { return is(Family::qwen2) || is(Family::qwen3); }

  void read_sizes() {
    config_.layers = fields_.size("num_hidden_layers", kMaxLayers);
    config_.model_dim = fields_.size("hidden_size", kMaxDim);
    config_.hidden_dim = fields_.size("intermediate_size", kMaxHiddenDim);
    config_.vocab = fields_.size("vocab_size", kMaxVocab);
    config_.heads = fields_.size("num_attention_heads", kMaxHeads);
    config_.max_context = fields_.size_or("max_position_embeddings", kMaxContext, defaults_.max_context);
    config_.rope = read_hf_rope(fields_, config_.max_context);
  }

  // --- Attention with keys and values per head ---

  void read_per_head_attention() {
    config_.kv_heads = kv_heads();
    if (config_.heads % config_.kv_heads != 0)
      model_.fail(fmt::format("num_attention_heads ({}) is not a multiple of num_key_value_heads ({})", config_.heads,
                              config_.kv_heads));
    config_.key_head_dim = config_.value_head_dim = config_.rope.dim = head_dim();
    config_.query_key_norm = is(Family::qwen3);
    const std::vector<int64_t> windows = layer_windows();
    for (const int64_t window : windows)
      config_.layer_cache.push_back(
          LayerCache::per_head(config_.kv_heads, config_.key_head_dim, config_.value_head_dim, window));
  }

  // The field is newer than multi-head attention. Transformers takes an explicit null for "as many as heads" in every
  // family, but a missing field for its class's own default.
  int64_t kv_heads() {
    if (defaults_.kv_heads == 0 || model_.contains("num_key_value_heads"))
      return fields_.size_or("num_key_value_heads", kMaxHeads, config_.heads, "as many as heads");
    return fields_.size_or("num_key_value_heads", kMaxHeads, defaults_.kv_heads,
                           fmt::format("the default of {}", name_of(config_.family)));
  }

  // Many models state a head_dim other than hidden_size / num_attention_heads: only silence allows the division.
  int64_t head_dim() {
    if (model_.find("head_dim")) return fields_.size("head_dim", kMaxHeadDim);
    if (defaults_.head_dim != 0)
      return fields_.size_or("head_dim", kMaxHeadDim, defaults_.head_dim,
                             fmt::format("the default of {}", name_of(config_.family)));
    if (config_.model_dim % config_.heads != 0)
      model_.fail(fmt::format("has no head_dim, and hidden_size ({}) is not a multiple of num_attention_heads ({})",
                              config_.model_dim, config_.heads));
    const int64_t quotient = config_.model_dim / config_.heads;
    if (quotient > kMaxHeadDim) model_.fail(fmt::format("gives heads of {} values", quotient));
    return fields_.size_or("head_dim", kMaxHeadDim, quotient, "hidden_size / num_attention_heads");
  }

  // The window of each layer; 0: none.
  std::vector<int64_t> layer_windows() {
    std::vector<int64_t> windows(static_cast<size_t>(config_.layers), 0);
    int64_t window = 0;        // of the layers that have one
    int64_t first_window = 0;  // earlier layers see everything
    if (is(Family::mistral) || (is_qwen() && fields_.boolean_or("use_sliding_window", false))) {
      if (model_.find("sliding_window") || !model_.contains("sliding_window"))
        window = fields_.size_or("sliding_window", kMaxContext, 4096);  // null: off
      if (is_qwen() && !model_.find("layer_types")) first_window = first_window_layer();
    }
    if (window == 0) first_window = config_.layers;
    for (int64_t layer = first_window; layer < config_.layers; ++layer) windows[static_cast<size_t>(layer)] = window;
    apply_layer_types(windows, window);
    return windows;
  }

  int64_t first_window_layer() {
    if (const auto found = model_.find("max_window_layers")) return found->integer(0, kMaxContext);
    fields_.assume("max_window_layers", "28", "");
    return 28;
  }

  // In the qwen families layer_types decides which layers have the window; elsewhere it may only confirm the rule.
  void apply_layer_types(std::vector<int64_t>& windows, int64_t window) {
    const auto types = model_.find("layer_types");
    if (!types) return;
    const std::vector<JsonValue> list = types->elements();
    if (std::ssize(list) != config_.layers)
      types->fail(fmt::format("has {} entries, but num_hidden_layers is {}", list.size(), config_.layers));
    for (size_t layer = 0; layer < list.size(); ++layer) {
      const bool sliding = list[layer].text() == "sliding_attention";
      if (!sliding && list[layer].text() != "full_attention")
        list[layer].fail(
            fmt::format("is {}; kvlab computes full_attention and sliding_attention", list[layer].shown()));
      if (sliding && window == 0) list[layer].fail("is sliding_attention, but no sliding window is in use");
      if (is_qwen()) windows[layer] = sliding ? window : 0;
      if (sliding != (windows[layer] > 0))
        list[layer].fail(fmt::format("is {}, which {} does not have", list[layer].shown(), name_of(config_.family)));
    }
  }

  // --- Latent attention (MLA). A head_dim in such a file is qk_rope_head_dim, and says nothing new. ---

  void read_latent_attention() {
    refuse_experts();
    LatentConfig& latent = config_.latent;
    latent.latent_dim = fields_.size_or("kv_lora_rank", kMaxDim, 512);
    if (model_.find("q_lora_rank") || !model_.contains("q_lora_rank"))
      latent.query_latent_dim = fields_.size_or("q_lora_rank", kMaxDim, 1536);  // null: none
    latent.nope_dim = fields_.size_or("qk_nope_head_dim", kMaxHeadDim, 128);
    latent.rope_dim = fields_.size_or("qk_rope_head_dim", kMaxHeadDim, 64);
    config_.value_head_dim = fields_.size_or("v_head_dim", kMaxHeadDim, 128);
    config_.key_head_dim = latent.nope_dim + latent.rope_dim;
    config_.kv_heads = fields_.size_or("num_key_value_heads", kMaxHeads, config_.heads, "as many as heads");
    if (config_.kv_heads != config_.heads)
      model_.at("num_key_value_heads")
          .fail(fmt::format("is {}; latent attention has as many as num_attention_heads ({})", config_.kv_heads,
                            config_.heads));
    config_.rope.dim = latent.rope_dim;
    const bool interleaved = is(Family::deepseek_v2) || fields_.boolean_or("rope_interleave", true);
    config_.rope.pairing = interleaved ? RopeConfig::Pairing::interleaved : RopeConfig::Pairing::half;
    config_.layer_cache.assign(static_cast<size_t>(config_.layers),
                               LayerCache::latent(latent.latent_dim, latent.rope_dim));
    std::vector<int64_t> no_windows(static_cast<size_t>(config_.layers), 0);
    apply_layer_types(no_windows, 0);
  }

  void refuse_experts() {
    const int64_t otherwise = is(Family::deepseek_v2) ? 0 : 3;
    int64_t dense = otherwise;
    if (const auto found = model_.find("first_k_dense_replace"))
      dense = found->integer(0, kMaxContext);
    else
      fields_.assume("first_k_dense_replace", std::to_string(otherwise), "");
    if (dense < config_.layers)
      model_.fail(
          fmt::format("has mixtures of experts in layers {} to {} (first_k_dense_replace is {}); kvlab runs dense "
                      "layers only",
                      dense, config_.layers - 1, dense));
  }

  // --- Everything else ---

  void read_biases() {
    const bool attention_bias =
        !is(Family::mistral) && !is(Family::qwen2) && fields_.boolean_or("attention_bias", false);
    config_.qkv_bias = attention_bias || is(Family::qwen2);
    config_.output_bias = attention_bias;
    config_.feed_forward_bias = (is(Family::llama) || is(Family::deepseek_v2)) && fields_.boolean_or("mlp_bias", false);
  }

  void read_rest() {
    config_.norm_eps = fields_.number_or("rms_norm_eps", 1e-6);
    if (!(config_.norm_eps >= 0 && config_.norm_eps < 1))
      model_.at("rms_norm_eps").fail(fmt::format("is {}, expected 0 to 1", config_.norm_eps));
    if (!model_.find("tie_word_embeddings") && document_.find("tie_word_embeddings"))
      config_.tied_embeddings = document_.at("tie_word_embeddings").boolean();
    else
      config_.tied_embeddings = fields_.boolean_or("tie_word_embeddings", false, "the head is a matrix of its own");
    read_dtype();
    if (const auto begin = find_anywhere("bos_token_id")) config_.begin_token = begin->integer(0, kMaxVocab);
    if (const auto end = find_anywhere("eos_token_id")) {
      if (end->is_array())
        for (const JsonValue& token : end->elements()) config_.end_tokens.push_back(token.integer(0, kMaxVocab));
      else
        config_.end_tokens.push_back(end->integer(0, kMaxVocab));
    }
  }

  void read_dtype() {
    auto dtype = find_anywhere("dtype");
    if (!dtype) dtype = find_anywhere("torch_dtype");
    if (!dtype) return fields_.assume("dtype", "float32", "");
    if (dtype->text() == "float32")
      config_.weights_dtype = Dtype::f32;
    else if (dtype->text() == "float16")
      config_.weights_dtype = Dtype::f16;
    else if (dtype->text() == "bfloat16")
      config_.weights_dtype = Dtype::bf16;
    else
      dtype->fail(fmt::format("is {}; kvlab reads float32, float16 and bfloat16", dtype->shown()));
  }

  // Fields that writers put beside text_config or inside it.
  std::optional<JsonValue> find_anywhere(const char* key) const {
    const auto inside = model_.find(key);
    return inside ? inside : document_.find(key);
  }

  JsonValue document_, model_;
  ModelConfig config_;
  HfFields fields_;
  FamilyDefaults defaults_;
};

// What kv::validate calls a field, in the words of the file.
std::string in_words_of_the_file(std::string message) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"the rope dimension", "the rotated dimension (head_dim or qk_rope_head_dim)"},
      {"key_head_dim", "head_dim"},
      {"model_dim", "hidden_size"},
      {"hidden_dim", "intermediate_size"},
      {"norm_eps", "rms_norm_eps"},
      {"rope theta", "rope_theta"},
      {"rope factor", "rope_scaling.factor"},
  };
  for (const auto& [ours, theirs] : kWords)
    if (const size_t at = message.find(ours); at != std::string::npos) message.replace(at, ours.size(), theirs);
  return message;
}

// A checkpoint is called by its folder's name, as on the hub.
std::string checkpoint_name(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  return path.filename() == "config.json" ? folder.filename().string() : path.stem().string();
}

}  // namespace

ModelConfig read_hf_config(const std::filesystem::path& path) {
  ModelConfig config = Reader(JsonValue::read(path)).read();
  config.name = checkpoint_name(path);
  try {
    validate(config);
  } catch (const std::invalid_argument& error) {
    throw FormatError(path.string(), in_words_of_the_file(error.what()));
  }
  return config;
}

}  // namespace kv
