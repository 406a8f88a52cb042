#include "model/files/hf_config.h"

#include <fmt/format.h>

#include <stdexcept>

#include "model/error.h"
#include "model/files/hf_attention.h"
#include "model/files/hf_experts.h"
#include "model/files/hf_families.h"
#include "model/files/hf_fields.h"
#include "model/files/hf_fixed_states.h"
#include "model/files/hf_parts.h"
#include "model/files/hf_rope.h"
#include "model/files/limits.h"
#include "model/parameters.h"

namespace kv {

namespace {

// The language model's part of the config: multimodal models keep it in an object of its own.
JsonValue language_part(const JsonValue& document) {
  for (const char* name : {"text_config", "llm_config", "language_config", "thinker_config"})
    if (const auto part = document.find(name)) return language_part(*part);
  return document;
}

// Reads one config. Each function fills what its name says.
class Reader {
 public:
  explicit Reader(const JsonValue& document)
      : document_(document), model_(language_part(document)), fields_(model_, config_) {}

  ModelConfig read() {
    read_family();
    read_sizes();
    read_dtype();
    if (is_latent())
      read_hf_latent_attention(fields_, config_);
    else
      read_hf_attention(fields_, config_);
    read_hf_fixed_states(fields_, config_);
    read_hf_experts(fields_, config_);
    read_hf_parts(fields_, config_);
    read_hf_rope(fields_, config_);
    read_rest();
    return std::move(config_);
  }

 private:
  bool is_latent() const {
    return config_.family == Family::deepseek_v2 || config_.family == Family::deepseek_v3 ||
           config_.family == Family::minicpm3;
  }

  // A nested part without a model_type is of the family that the document names.
  void read_family() {
    const JsonValue type = model_.find("model_type") ? model_.at("model_type") : document_.at("model_type");
    config_.family = hf_family(type).family;
    if (find_anywhere("quantization_config"))
      config_.assumed.push_back(
          "The weights are published quantised (quantization_config): in another format they take other bytes than the "
          "published files.");
    if (!runs(config_.family))
      return fields_.cannot_run(
          type,
          fmt::format("is {}; kvlab runs llama, mistral, qwen2, qwen3, deepseek_v2 and deepseek_v3", type.shown()));
    note_unknown_computation(document_);
    note_unknown_computation(model_);
    if (!model_.find("hidden_act")) fields_.assume("hidden_act", "silu", "");
  }

  // What would change the computation in a way that the forward pass does not follow.
  void note_unknown_computation(const JsonValue& object) {
    for (const char* key :
         {"quantization_config", "compression_config", "attn_logit_softcapping", "final_logit_softcapping",
          "query_pre_attn_scalar", "attention_multiplier", "attention_chunk_size", "no_rope_layers"})
      if (const auto found = object.find(key))
        fields_.cannot_run(*found, fmt::format("is {}; kvlab does not compute that", found->shown()));
    for (const char* key : {"num_local_experts", "num_experts"})
      if (const auto found = object.find(key)) {
        fields_.cannot_run(*found, fmt::format("is {}; kvlab does not compute that", found->shown()));
        config_.unknown_parameters = fmt::format("{} is {}, which kvlab does not know of {}", printable(found->name()),
                                                 found->shown(), name_of(config_.family));
      }
    for (const char* key :
         {"pretraining_tp", "embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale"})
      if (const auto found = object.find(key); found && found->number() != 1)
        fields_.cannot_run(*found, fmt::format("is {}; kvlab computes with 1 only", found->shown()));
    if (const auto activation = object.find("hidden_act"); activation && activation->text() != "silu")
      fields_.cannot_run(*activation, fmt::format("is {}; kvlab computes silu", activation->shown()));
  }

  // --- Sizes ---

  void read_sizes() {
    const HfFamily& family = hf_family(config_.family);
    const HfKeys keys = hf_keys(config_.family);
    config_.layers = stated(keys.layers, kMaxLayers, family.layers);
    config_.model_dim = stated(keys.model_dim, kMaxDim, family.model_dim);
    if (family.hidden_dim == 0)
      config_.hidden_dim = fields_.size_or(keys.hidden_dim, kMaxHiddenDim, 4 * config_.model_dim,
                                           fmt::format("4 x {}", keys.model_dim.name));
    else
      config_.hidden_dim = stated(keys.hidden_dim, kMaxHiddenDim, family.hidden_dim);
    config_.vocab = stated("vocab_size", kMaxVocab, family.vocab);
    config_.heads = stated(keys.heads, kMaxHeads, family.heads);
    config_.max_context = fields_.size_or(keys.max_context, kMaxContext, family.max_context);
  }

  // A size that a file has to state. A part of a file may leave out what equals its class's default.
  int64_t stated(HfKey key, int64_t most, int64_t otherwise) {
    if (model_.name().empty()) return fields_.size(key, most);
    return fields_.size_or(key, most, otherwise, fmt::format("the default of {}", name_of(config_.family)));
  }

  // --- Everything else ---

  void read_dtype() {
    auto dtype = find_anywhere("dtype");
    if (!dtype) dtype = find_anywhere("torch_dtype");
    if (!dtype) return fields_.assume("dtype", "float32", "");
    for (const auto& [name, type] :
         {std::pair("float32", Dtype::f32), std::pair("float16", Dtype::f16), std::pair("bfloat16", Dtype::bf16)})
      if (dtype->text() == name) {
        config_.weights_dtype = type;
        return;
      }
    config_.weights_dtype = Dtype::bf16;
    fields_.cannot_run(*dtype, fmt::format("is {}; kvlab reads float32, float16 and bfloat16", dtype->shown()));
    fields_.note(fmt::format("{} is {}: weights are taken for bfloat16", printable(dtype->name()), dtype->shown()));
  }

  void read_rest() {
    read_norm_eps();
    const HfFamily& family = hf_family(config_.family);
    if (!model_.find("tie_word_embeddings") && document_.find("tie_word_embeddings"))
      config_.tied_embeddings = document_.at("tie_word_embeddings").boolean();
    else
      config_.tied_embeddings =
          fields_.boolean_or("tie_word_embeddings", family.tied,
                             family.tied ? "the head is the embedding" : "the head is a matrix of its own");
    for (const char* part : {"vision_config", "audio_config"})
      if (const auto found = document_.find(part)) {
        fields_.note(fmt::format("{} is not described: sizes are of the language model alone.", part));
        fields_.cannot_run(*found, "is another model beside it; kvlab runs language models alone");
      }
    read_tokens();
  }

  void read_norm_eps() {
    if (config_.family == Family::opt) {
      config_.norm_eps = 1e-5;  // fixed in its code
      return;
    }
    const HfKey key = hf_keys(config_.family).norm_eps;
    config_.norm_eps = fields_.number_or(key, hf_family(config_.family).norm_eps);
    if (!(config_.norm_eps >= 0 && config_.norm_eps < 1))
      fields_.object().at(key.name).fail(fmt::format("is {}, expected 0 to 1", config_.norm_eps));
  }

  void read_tokens() {
    if (const auto begin = find_anywhere("bos_token_id")) config_.begin_token = begin->integer(0, kMaxVocab);
    const auto end = find_anywhere("eos_token_id");
    if (!end) return;
    if (!end->is_array()) return config_.end_tokens.push_back(end->integer(0, kMaxVocab));
    for (const JsonValue& token : end->elements()) config_.end_tokens.push_back(token.integer(0, kMaxVocab));
  }

  // Fields that writers put beside text_config or inside it.
  std::optional<JsonValue> find_anywhere(const char* key) const {
    const auto inside = model_.find(key);
    return inside ? inside : document_.find(key);
  }

  JsonValue document_, model_;
  ModelConfig config_;
  HfFields fields_;
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

ModelConfig read_document(const JsonValue& document) {
  ModelConfig config = Reader(document).read();
  try {
    validate(config);
    if (config.unknown_parameters.empty()) count_parameters(config);  // more than can be counted are no model
  } catch (const std::invalid_argument& error) {
    throw FormatError(document.file(), in_words_of_the_file(error.what()));
  } catch (const std::overflow_error& error) {
    throw FormatError(document.file(), error.what());
  }
  return config;
}

// A checkpoint is called by its folder's name, as on the hub.
std::string checkpoint_name(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  return path.filename() == "config.json" ? folder.filename().string() : path.stem().string();
}

}  // namespace

ModelConfig read_hf_config(const std::filesystem::path& path) {
  ModelConfig config = read_document(JsonValue::read(path));
  config.name = checkpoint_name(path);
  return config;
}

ModelConfig parse_hf_config(const std::string& file, std::string_view text) {
  ModelConfig config = read_document(JsonValue::parse(file, text));
  config.name = file;
  return config;
}

ModelConfig read_runnable_hf_config(const std::filesystem::path& path) {
  ModelConfig config = read_hf_config(path);
  if (!config.cannot_run.empty()) throw FormatError(path.string(), config.cannot_run);
  return config;
}

}  // namespace kv
