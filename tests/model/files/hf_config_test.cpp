#include "model/files/hf_config.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/random.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

ModelConfig read(const json& config) {
  const TemporaryFolder folder;
  return read_hf_config(folder.write("config.json", config.dump()));
}

// Why such a model does not run.
std::string refusal(const json& config) {
  const TemporaryFolder folder;
  const auto path = folder.write("config.json", config.dump());
  return error_of<FormatError>([&] { read_runnable_hf_config(path); });
}

// Why it cannot even be described.
std::string size_refusal(const json& config) {
  return error_of<FormatError>([&] { read(config); });
}

// A valid config of a family, with fields added or replaced; those that are "absent" are left out.
const char* const kAbsent = "(absent)";

json with(json config, const json& fields) {
  for (const auto& [key, value] : fields.items()) {
    if (value == kAbsent)
      config.erase(key);
    else
      config[key] = value;
  }
  return config;
}

json llama(const json& fields = json::object()) {
  return with({{"model_type", "llama"},
               {"num_hidden_layers", 32},
               {"hidden_size", 4096},
               {"intermediate_size", 11008},
               {"num_attention_heads", 32},
               {"num_key_value_heads", 8},
               {"vocab_size", 32000},
               {"hidden_act", "silu"},
               {"max_position_embeddings", 4096},
               {"rms_norm_eps", 1e-5},
               {"rope_theta", 10000.0},
               {"tie_word_embeddings", false},
               {"attention_bias", false},
               {"mlp_bias", false},
               {"torch_dtype", "bfloat16"},
               {"head_dim", 128},
               {"bos_token_id", 1},
               {"eos_token_id", 2}},
              fields);
}

json family(const char* name, const json& fields = json::object()) {
  return with(llama({{"model_type", name}}), fields);
}

json deepseek(const char* name, const json& fields = json::object()) {
  return with(family(name, {{"num_hidden_layers", 2},
                            {"num_attention_heads", 4},
                            {"num_key_value_heads", 4},
                            {"hidden_size", 36},
                            {"first_k_dense_replace", 2},
                            {"kv_lora_rank", 20},
                            {"q_lora_rank", nullptr},
                            {"qk_nope_head_dim", 12},
                            {"qk_rope_head_dim", 8},
                            {"v_head_dim", 10},
                            {"head_dim", 8}}),
              fields);
}

// Bytes that one more token takes in a 2-byte cache, below every window.
int64_t bytes_per_token(const json& config) { return read(config).cache_bytes(1, Dtype::bf16); }

bool assumed(const ModelConfig& config, const std::string& sentence) {
  return std::find(config.assumed.begin(), config.assumed.end(), sentence) != config.assumed.end();
}

std::vector<int64_t> windows(const ModelConfig& config) {
  std::vector<int64_t> list;
  for (const LayerCache& cache : config.layer_cache) list.push_back(cache.window);
  return list;
}

using Windows = std::vector<int64_t>;

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("a complete config is read as it stands, and nothing is assumed") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "tiny-llama");
    const ModelConfig config = read_hf_config(folder.write("tiny-llama/config.json", llama().dump()));
    CHECK(config.name == "tiny-llama");
    CHECK(config.family == Family::llama);
    CHECK(config.layers == 32);
    CHECK(config.model_dim == 4096);
    CHECK(config.hidden_dim == 11008);
    CHECK(config.vocab == 32000);
    CHECK(config.max_context == 4096);
    CHECK(config.heads == 32);
    CHECK(config.kv_heads == 8);
    CHECK(config.key_head_dim == 128);
    CHECK(config.value_head_dim == 128);
    CHECK(config.norm_eps == 1e-5);
    CHECK(config.rope.theta == 10000.0);
    CHECK(config.rope.dim == 128);
    CHECK(config.rope.pairing == RopeConfig::Pairing::half);
    CHECK(config.rope.scaling == RopeConfig::Scaling::none);
    CHECK(config.weights_dtype == Dtype::bf16);
    CHECK(config.begin_token == 1);
    CHECK(config.end_tokens == std::vector<int64_t>{2});
    CHECK(!config.has_latent_attention());
    CHECK(config.assumed.empty());
  }

  // --- Sizes that others got wrong ---

  TEST_CASE("head_dim is what the file states, not hidden_size / num_attention_heads") {
    const auto sized = [](const char* name, int64_t layers, int64_t kv_heads, json head_dim, int64_t hidden,
                          int64_t heads) {
      return bytes_per_token(family(name, {{"num_hidden_layers", layers},
                                           {"num_key_value_heads", kv_heads},
                                           {"head_dim", head_dim},
                                           {"hidden_size", hidden},
                                           {"num_attention_heads", heads},
                                           {"sliding_window", nullptr}}));
    };
    CHECK(sized("qwen3", 36, 8, 128, 2560, 32) == 147456);    // Qwen3-4B; divided: 92,160
    CHECK(sized("qwen3", 64, 8, 128, 5120, 64) == 262144);    // Qwen3-32B; divided: 163,840
    CHECK(sized("mistral", 40, 8, 128, 5120, 32) == 163840);  // Mistral-Nemo; divided: 204,800
    CHECK(sized("llama", 32, 8, 128, 1792, 24) == 131072);    // divided: no whole number
    CHECK(sized("llama", 32, 32, 96, 3072, 32) == 393216);
    CHECK(sized("qwen3", 36, 8, kAbsent, 2560, 32) == 147456);  // qwen3's own default
  }

  TEST_CASE("without a head_dim the quotient is used and recorded; null is absent; a fraction is an error") {
    for (const json& silent : {json(kAbsent), json(nullptr)}) {
      const ModelConfig config = read(llama({{"head_dim", silent}}));
      CHECK(config.key_head_dim == 128);
      CHECK(config.assumed.size() == 1);
      CHECK(names(refusal(llama({{"head_dim", silent}, {"hidden_size", 1792}, {"num_attention_heads", 24}})),
                  "head_dim", "hidden_size (1792)", "num_attention_heads (24)"));
    }
    CHECK(assumed(read(llama({{"head_dim", kAbsent}})), "head_dim is absent: 128, hidden_size / num_attention_heads"));
    CHECK(assumed(read(llama({{"head_dim", nullptr}})), "head_dim is null: 128, hidden_size / num_attention_heads"));
  }

  TEST_CASE("without num_key_value_heads there are as many as heads, or the family's default, and the config says so") {
    CHECK(bytes_per_token(llama({{"num_key_value_heads", kAbsent}})) == 524288);
    CHECK(bytes_per_token(llama({{"num_key_value_heads", nullptr}})) == 524288);
    CHECK(assumed(read(llama({{"num_key_value_heads", kAbsent}})),
                  "num_key_value_heads is absent: 32, as many as heads"));
    CHECK(
        assumed(read(llama({{"num_key_value_heads", nullptr}})), "num_key_value_heads is null: 32, as many as heads"));
    CHECK(read(family("mistral", {{"num_key_value_heads", kAbsent}})).kv_heads == 8);
    CHECK(assumed(read(family("mistral", {{"num_key_value_heads", kAbsent}})),
                  "num_key_value_heads is absent: 8, the default of mistral"));
    CHECK(read(family("mistral", {{"num_key_value_heads", nullptr}})).kv_heads == 32);
    CHECK(read(family("qwen2", {{"num_key_value_heads", kAbsent}})).kv_heads == 32);
    CHECK(read(family("qwen3", {{"num_key_value_heads", kAbsent}})).kv_heads == 32);
    CHECK(names(refusal(family("qwen2", {{"num_key_value_heads", kAbsent}, {"num_attention_heads", 28}})),
                "num_attention_heads (28)", "num_key_value_heads (32)"));
  }

  TEST_CASE("zero, negative and absurd sizes are refused by the file's own names") {
    CHECK(names(refusal(llama({{"num_key_value_heads", 0}})), "config.json", "num_key_value_heads is 0"));
    for (const char* key : {"num_hidden_layers", "hidden_size", "intermediate_size", "vocab_size",
                            "num_attention_heads", "num_key_value_heads", "head_dim", "max_position_embeddings"}) {
      CAPTURE(key);
      CHECK(names(refusal(llama({{key, 0}})), std::string(key) + " is 0"));
      CHECK(names(refusal(llama({{key, -4}})), std::string(key) + " is -4"));
      CHECK(names(refusal(llama({{key, 1e18}})), key));
      CHECK(names(refusal(llama({{key, 999'999'999'999}})), std::string(key) + " is 999999999999"));
      CHECK(names(refusal(llama({{key, "8"}})), std::string(key) + " is the string \"8\""));
      CHECK(names(refusal(llama({{key, 8.0}})), std::string(key) + " is 8.0"));
      CHECK(names(refusal(llama({{key, true}})), std::string(key) + " is true"));
      CHECK(names(refusal(llama({{key, json::array({8})}})), std::string(key) + " is an array"));
    }
    for (const char* key :
         {"num_hidden_layers", "hidden_size", "intermediate_size", "vocab_size", "num_attention_heads"})
      CHECK(names(refusal(llama({{key, kAbsent}})), std::string(key) + " is missing"));
    CHECK(names(refusal(llama({{"num_key_value_heads", 5}})), "num_attention_heads (32)", "num_key_value_heads (5)"));
    CHECK(names(refusal(llama({{"head_dim", 7}})), "head_dim", "even", "7"));
    CHECK(names(refusal(llama({{"rms_norm_eps", -1}})), "rms_norm_eps"));
    CHECK(names(refusal(llama({{"rms_norm_eps", "1e-5"}})), "rms_norm_eps", "string"));
  }

  // --- What a family means ---

  TEST_CASE("every default that is used is recorded") {
    const ModelConfig config = read({{"model_type", "llama"},
                                     {"num_hidden_layers", 2},
                                     {"hidden_size", 30},
                                     {"intermediate_size", 46},
                                     {"num_attention_heads", 3},
                                     {"vocab_size", 99}});
    CHECK(config.max_context == 2048);
    CHECK(config.norm_eps == 1e-6);
    CHECK(config.end_tokens.empty());
    CHECK(!config.begin_token);
    for (const char* sentence :
         {"hidden_act is absent: silu", "max_position_embeddings is absent: 2048", "rope_theta is absent: 10000",
          "num_key_value_heads is absent: 3, as many as heads",
          "head_dim is absent: 10, hidden_size / num_attention_heads", "attention_bias is absent: false",
          "mlp_bias is absent: false", "rms_norm_eps is absent: 1e-06",
          "tie_word_embeddings is absent: false, the head is a matrix of its own", "dtype is absent: float32"}) {
      CAPTURE(sentence);
      CHECK(assumed(config, sentence));
    }
    CHECK(config.assumed.size() == 10);
  }

  TEST_CASE("biases are where the family has them") {
    const auto biases = [](const json& config) {
      const ModelConfig read_config = read(config);
      return std::vector<bool>{read_config.qkv_bias, read_config.output_bias, read_config.feed_forward_bias};
    };
    using Biases = std::vector<bool>;
    const json on = {{"attention_bias", true}, {"mlp_bias", true}};
    CHECK(biases(llama()) == Biases{false, false, false});
    CHECK(biases(llama(on)) == Biases{true, true, true});
    CHECK(biases(family("mistral", on)) == Biases{false, false, false});
    CHECK(biases(family("qwen2")) == Biases{true, false, false});
    CHECK(biases(family("qwen3")) == Biases{false, false, false});
    CHECK(biases(family("qwen3", {{"attention_bias", true}})) == Biases{true, true, false});
    CHECK(biases(deepseek("deepseek_v3", {{"attention_bias", true}})) == Biases{true, true, false});
    CHECK(read(family("qwen3")).query_key_norm);
    CHECK(!read(family("qwen2")).query_key_norm);
  }

  TEST_CASE("mistral's window holds for all layers: 4096 unless stated, null switches it off") {
    const auto mistral = [](json window) {
      return windows(read(family("mistral", {{"num_hidden_layers", 2}, {"sliding_window", window}})));
    };
    CHECK(mistral(5) == Windows{5, 5});
    CHECK(mistral(kAbsent) == Windows{4096, 4096});
    CHECK(mistral(nullptr) == Windows{0, 0});
    CHECK(assumed(read(family("mistral")), "sliding_window is absent: 4096"));
  }

  TEST_CASE("qwen's window holds only with use_sliding_window, from max_window_layers on") {
    const auto qwen = [](const json& fields) {
      return windows(read(
          with(family("qwen2", {{"num_hidden_layers", 4}, {"sliding_window", 6}, {"max_window_layers", 1}}), fields)));
    };
    CHECK(qwen({{"use_sliding_window", false}}) == Windows{0, 0, 0, 0});
    CHECK(qwen(json::object()) == Windows{0, 0, 0, 0});
    CHECK(qwen({{"use_sliding_window", true}}) == Windows{0, 6, 6, 6});
    CHECK(qwen({{"use_sliding_window", true}, {"max_window_layers", 0}}) == Windows{6, 6, 6, 6});
    CHECK(qwen({{"use_sliding_window", true}, {"max_window_layers", 9}}) == Windows{0, 0, 0, 0});
    CHECK(qwen({{"use_sliding_window", true}, {"max_window_layers", kAbsent}}) == Windows{0, 0, 0, 0});  // 28
    CHECK(qwen({{"use_sliding_window", true}, {"sliding_window", nullptr}}) == Windows{0, 0, 0, 0});
  }

  TEST_CASE("layer_types decides in the qwen families, and must have one entry for each layer") {
    const auto qwen = [](const json& types, bool use = true) {
      return family(
          "qwen3",
          {{"num_hidden_layers", 3}, {"use_sliding_window", use}, {"sliding_window", 6}, {"layer_types", types}});
    };
    const char *full = "full_attention", *sliding = "sliding_attention";
    CHECK(windows(read(qwen({sliding, full, sliding}))) == Windows{6, 0, 6});
    CHECK(windows(read(qwen({full, full, full}, false))) == Windows{0, 0, 0});
    CHECK(names(refusal(qwen({full, full})), "layer_types", "2 entries", "num_hidden_layers is 3"));
    CHECK(names(refusal(qwen({full, "chunked_attention", full})), "layer_types[1]", "chunked_attention"));
    CHECK(names(refusal(qwen({full, "linear_attention", full})), "layer_types[1]", "linear_attention"));
    CHECK(names(refusal(qwen({full, full, sliding}, false)), "layer_types[2]", "no sliding window"));
    CHECK(names(refusal(llama({{"num_hidden_layers", 1}, {"layer_types", {sliding}}})), "layer_types[0]"));
    CHECK(windows(read(llama({{"num_hidden_layers", 1}, {"layer_types", {full}}}))) == Windows{0});
    CHECK(names(refusal(family("mistral", {{"num_hidden_layers", 1}, {"layer_types", {full}}})), "layer_types[0]",
                "mistral"));
  }

  TEST_CASE("latent attention takes its sizes from its own fields, and ignores head_dim") {
    const ModelConfig config = read(deepseek("deepseek_v3", {{"q_lora_rank", 26}}));
    CHECK(config.latent.latent_dim == 20);
    CHECK(config.latent.query_latent_dim == 26);
    CHECK(config.latent.nope_dim == 12);
    CHECK(config.latent.rope_dim == 8);
    CHECK(config.latent.norm_eps == 1e-6);  // whatever rms_norm_eps says
    CHECK(config.norm_eps == 1e-5);
    CHECK(config.key_head_dim == 20);
    CHECK(config.value_head_dim == 10);
    CHECK(config.rope.dim == 8);
    CHECK(config.layer_cache[1].kind == LayerCache::Kind::latent);
    CHECK(config.cache_values_per_token() == 2 * (20 + 8));
    CHECK(read(deepseek("deepseek_v3")).latent.query_latent_dim == 0);  // null
    const ModelConfig silent = read(deepseek("deepseek_v2", {{"q_lora_rank", kAbsent}, {"kv_lora_rank", kAbsent}}));
    CHECK(silent.latent.query_latent_dim == 1536);
    CHECK(silent.latent.latent_dim == 512);
    CHECK(assumed(silent, "kv_lora_rank is absent: 512"));
    CHECK(read(deepseek("deepseek_v3", {{"num_key_value_heads", kAbsent}})).kv_heads == 4);
    CHECK(names(refusal(deepseek("deepseek_v3", {{"num_key_value_heads", 2}})), "num_key_value_heads is 2", "(4)"));
    CHECK(names(refusal(deepseek("deepseek_v3", {{"qk_rope_head_dim", 7}})), "qk_rope_head_dim", "7"));
  }

  TEST_CASE("deepseek_v2 pairs neighbours; deepseek_v3 too unless rope_interleave is false") {
    using Pairing = RopeConfig::Pairing;
    CHECK(read(deepseek("deepseek_v2", {{"rope_interleave", false}})).rope.pairing == Pairing::interleaved);
    CHECK(read(deepseek("deepseek_v3")).rope.pairing == Pairing::interleaved);
    CHECK(read(deepseek("deepseek_v3", {{"rope_interleave", true}})).rope.pairing == Pairing::interleaved);
    CHECK(read(deepseek("deepseek_v3", {{"rope_interleave", false}})).rope.pairing == Pairing::half);
  }

  TEST_CASE("layers of experts are refused, and a file that is silent about them has some") {
    CHECK(names(refusal(deepseek("deepseek_v3", {{"first_k_dense_replace", 1}})), "experts", "layers 1 to 1",
                "first_k_dense_replace is 1"));
    CHECK(names(refusal(deepseek("deepseek_v2", {{"first_k_dense_replace", kAbsent}})), "first_k_dense_replace is 0"));
    CHECK(refusal(deepseek("deepseek_v3", {{"first_k_dense_replace", kAbsent}})) == "(no error)");  // 3, of 2 layers
    CHECK(names(refusal(family("mixtral")), "model_type", "mixtral"));
    CHECK(names(refusal(llama({{"num_local_experts", 8}})), "num_local_experts is 8"));
  }

  // --- Rotary embedding ---

  TEST_CASE("older and newer files describe the same rotary embedding") {
    const json scaling = {{"rope_type", "linear"}, {"factor", 4.0}};
    const ModelConfig older = read(llama({{"rope_theta", 500.0}, {"rope_scaling", scaling}}));
    const ModelConfig newer =
        read(llama({{"rope_theta", kAbsent}, {"rope_parameters", with(scaling, {{"rope_theta", 500.0}})}}));
    const ModelConfig oldest =
        read(llama({{"rope_theta", 500.0}, {"rope_scaling", {{"type", "linear"}, {"factor", 4}}}}));
    for (const ModelConfig& config : {older, newer, oldest}) {
      CHECK(config.rope.theta == 500.0);
      CHECK(config.rope.scaling == RopeConfig::Scaling::linear);
      CHECK(config.rope.factor == 4.0);
    }
    CHECK(read(llama({{"rope_scaling", nullptr}})).rope.scaling == RopeConfig::Scaling::none);
    CHECK(names(refusal(llama({{"rope_scaling", scaling}, {"rope_parameters", scaling}})), "rope_scaling",
                "rope_parameters"));
    CHECK(read(with(llama(), {{"torch_dtype", kAbsent}, {"dtype", "float16"}})).weights_dtype == Dtype::f16);
  }

  TEST_CASE("llama3 scaling needs its four numbers") {
    const json scaling = {{"rope_type", "llama3"},
                          {"factor", 8.0},
                          {"low_freq_factor", 1.0},
                          {"high_freq_factor", 4.0},
                          {"original_max_position_embeddings", 8192}};
    const RopeConfig rope = read(llama({{"rope_scaling", scaling}})).rope;
    CHECK(rope.scaling == RopeConfig::Scaling::llama3);
    CHECK(rope.factor == 8.0);
    CHECK(rope.low_freq_factor == 1.0);
    CHECK(rope.high_freq_factor == 4.0);
    CHECK(rope.original_context == 8192);
    for (const char* key : {"factor", "low_freq_factor", "high_freq_factor"})
      CHECK(names(refusal(llama({{"rope_scaling", with(scaling, {{key, kAbsent}})}})),
                  std::string("rope_scaling.") + key + " is missing"));
    CHECK(names(refusal(llama({{"rope_scaling", with(scaling, {{"high_freq_factor", 1.0}})}})), "high_freq_factor",
                "low_freq_factor"));
    CHECK(names(refusal(llama({{"rope_scaling", with(scaling, {{"factor", "8"}})}})), "rope_scaling.factor", "string"));
    CHECK(names(refusal(llama({{"rope_scaling", with(scaling, {{"factor", 0}})}})), "rope_scaling.factor is 0"));
    CHECK(names(refusal(llama({{"rope_scaling", with(scaling, {{"factor", -2.0}})}})), "rope_scaling.factor is -2"));
  }

  TEST_CASE("yarn takes its optional numbers, and max_position_embeddings where the original length is not given") {
    const json scaling = {{"type", "yarn"},
                          {"factor", 40},
                          {"beta_fast", 16},
                          {"beta_slow", 2},
                          {"mscale", 0.7},
                          {"mscale_all_dim", 0.8},
                          {"original_max_position_embeddings", 2048}};
    const RopeConfig rope = read(deepseek("deepseek_v3", {{"rope_scaling", scaling}})).rope;
    CHECK(rope.scaling == RopeConfig::Scaling::yarn);
    CHECK(rope.factor == 40.0);
    CHECK(rope.beta_fast == 16.0);
    CHECK(rope.beta_slow == 2.0);
    CHECK(rope.mscale == 0.7);
    CHECK(rope.mscale_all_dim == 0.8);
    CHECK(rope.original_context == 2048);
    CHECK(rope.truncate);
    CHECK(!rope.attention_factor);

    const ModelConfig sparse = read(llama(
        {{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}, {"truncate", false}, {"attention_factor", 1.5}}}}));
    CHECK(sparse.rope.beta_fast == 32.0);
    CHECK(sparse.rope.beta_slow == 1.0);
    CHECK(sparse.rope.mscale == 0.0);
    CHECK(!sparse.rope.truncate);
    CHECK(sparse.rope.attention_factor == 1.5);
    CHECK(sparse.rope.original_context == 4096);
    CHECK(assumed(sparse, "rope_scaling.original_max_position_embeddings is absent: 4096, as max_position_embeddings"));
    const json outside = {{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}}},
                          {"original_max_position_embeddings", 1024}};
    CHECK(read(llama(outside)).rope.original_context == 1024);
  }

  TEST_CASE("rotations that we do not compute are refused by name") {
    for (const char* type : {"dynamic", "longrope", "mrope", "su", "proportional"})
      CHECK(names(refusal(llama({{"rope_scaling", {{"rope_type", type}, {"factor", 2.0}}}})), "rope_scaling", type));
    CHECK(names(refusal(llama({{"rope_scaling", {{"type", "linear"}, {"rope_type", "yarn"}, {"factor", 2.0}}}})),
                "linear", "yarn"));
    CHECK(names(refusal(llama({{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}, {"short_factor", {1, 2}}}}})),
                "rope_scaling.short_factor", "linear"));
    CHECK(names(refusal(llama({{"rope_scaling", {{"type", "linear"}}}})), "rope_scaling.factor is missing"));
    CHECK(names(refusal(llama({{"rope_scaling", "linear"}})), "rope_scaling", "string"));
    CHECK(names(refusal(llama({{"rope_parameters", {{"full_attention", {{"rope_theta", 1e6}}}}}})),
                "rope_parameters.full_attention"));
    CHECK(names(refusal(llama({{"partial_rotary_factor", 0.5}})), "partial_rotary_factor is 0.5"));
    CHECK(names(refusal(llama({{"rope_parameters", {{"rope_type", "default"}, {"partial_rotary_factor", 0.25}}}})),
                "rope_parameters.partial_rotary_factor is 0.25"));
    CHECK(names(refusal(llama({{"partial_rotary_factor", 0.5}, {"rope_parameters", {{"partial_rotary_factor", 1.0}}}})),
                "partial_rotary_factor is 0.5"));
    CHECK(refusal(llama({{"partial_rotary_factor", 1.0}})) == "(no error)");
    CHECK(names(refusal(llama({{"rope_theta", 0}})), "rope_theta is 0"));
    CHECK(names(refusal(llama({{"rope_theta", "10000"}})), "rope_theta", "string"));
  }

  // --- Everything else ---

  TEST_CASE("what would change the computation is refused, with its value") {
    CHECK(names(refusal(family("gemma2")), "model_type is the string \"gemma2\""));
    CHECK(names(refusal(llama({{"model_type", kAbsent}})), "model_type is missing"));
    CHECK(names(refusal(llama({{"hidden_act", "gelu"}})), "hidden_act", "gelu"));
    CHECK(names(refusal(llama({{"pretraining_tp", 2}})), "pretraining_tp is 2"));
    CHECK(names(refusal(llama({{"quantization_config", {{"bits", 4}}}})), "quantization_config"));
    CHECK(names(refusal(llama({{"torch_dtype", "float8_e4m3fn"}})), "torch_dtype", "float8_e4m3fn"));
    CHECK(refusal(llama({{"pretraining_tp", 1}, {"quantization_config", nullptr}})) == "(no error)");
  }

  TEST_CASE("a model that kvlab cannot run is described all the same, with the first reason") {
    const auto described = [](const json& fields) {
      const ModelConfig config = read(llama(fields));
      CHECK(config.cache_bytes(1, Dtype::bf16) == 131072);
      CHECK(refusal(llama(fields)).ends_with("config.json: " + config.cannot_run));
      return config.cannot_run;
    };
    CHECK(described({{"hidden_act", "gelu"}}) == "hidden_act is the string \"gelu\"; kvlab computes silu");
    CHECK(described({{"pretraining_tp", 2}}) == "pretraining_tp is 2; kvlab computes with 1 only");
    CHECK(names(described({{"quantization_config", {{"bits", 4}}}}), "quantization_config is an object"));
    const std::vector<std::string> said = read(llama({{"quantization_config", {{"bits", 4}}}})).assumed;
    CHECK(std::any_of(said.begin(), said.end(),
                      [](const std::string& words) { return names(words, "published quantised"); }));
    CHECK(names(described({{"attn_logit_softcapping", 50.0}}), "attn_logit_softcapping is 50.0"));
    CHECK(names(described({{"partial_rotary_factor", 0.5}}), "partial_rotary_factor is 0.5"));
    CHECK(names(described({{"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}}}), "rope_scaling", "dynamic"));
    CHECK(names(described({{"rope_scaling", {{"rope_type", "llama3\n"}}}}), "rope_scaling", "llama3\\x0a"));
    CHECK(names(described({{"torch_dtype", "float8_e4m3fn"}}), "torch_dtype", "float8_e4m3fn"));
    CHECK(names(described({{"pretraining_tp", 2}, {"torch_dtype", "float8_e4m3fn"}}), "pretraining_tp is 2"));
    CHECK(read(llama({{"torch_dtype", "float8_e4m3fn"}})).weights_dtype == Dtype::bf16);
    CHECK(assumed(read(llama({{"torch_dtype", "float8_e4m3fn"}})),
                  "torch_dtype is the string \"float8_e4m3fn\": weights are taken for bfloat16"));
    CHECK(read(llama({{"partial_rotary_factor", 0.5}})).rope.dim == 64);

    const ModelConfig sparse = read(deepseek("deepseek_v3", {{"first_k_dense_replace", 1}}));
    CHECK(sparse.experts.count == 256);
    CHECK(sparse.cache_values_per_token() == 2 * (20 + 8));
    CHECK(read(llama()).cannot_run.empty());
  }

  TEST_CASE("what is no number, and no size, stays an error whether the model runs or not") {
    for (const json& fields :
         {json{{"rope_theta", "10000"}}, json{{"rope_theta", 0}}, json{{"rms_norm_eps", 1}},
          json{{"pretraining_tp", "2"}}, json{{"hidden_act", 1}}, json{{"partial_rotary_factor", 1.5}},
          json{{"partial_rotary_factor", 0}}, json{{"rope_scaling", {{"rope_type", "linear"}, {"factor", "2"}}}},
          json{{"num_key_value_heads", 0}}, json{{"tie_word_embeddings", "no"}},
          json{{"layer_types", json::array({"full_attention"})}}})
      CHECK(names(size_refusal(llama(fields)), "config.json: " + fields.begin().key()));
  }

  TEST_CASE("a multimodal file keeps the language model in text_config") {
    const json outer = {{"model_type", "mistral3"},
                        {"text_config", family("mistral", {{"tie_word_embeddings", kAbsent}})},
                        {"tie_word_embeddings", true},
                        {"hidden_size", 7}};
    const ModelConfig config = read(outer);
    CHECK(config.family == Family::mistral);
    CHECK(config.model_dim == 4096);
    CHECK(config.tied_embeddings);
    CHECK(config.cannot_run.empty());
    json seeing = outer;
    seeing["vision_config"] = {{"hidden_size", 1024}};
    CHECK(names(refusal(seeing), "vision_config is another model", "runs language models alone"));
    json broken = outer;
    broken["text_config"]["hidden_size"] = "x";
    CHECK(names(refusal(broken), "text_config.hidden_size"));
  }

  TEST_CASE("end tokens may be one, several or none") {
    CHECK(read(llama({{"eos_token_id", {3, 4}}})).end_tokens == std::vector<int64_t>{3, 4});
    CHECK(read(llama({{"eos_token_id", nullptr}})).end_tokens.empty());
    CHECK(!read(llama({{"bos_token_id", nullptr}})).begin_token);
    CHECK(names(refusal(llama({{"eos_token_id", -1}})), "eos_token_id is -1"));
    CHECK(names(refusal(llama({{"eos_token_id", {3, "x"}}})), "eos_token_id[1]"));
  }

  TEST_CASE("text that is no JSON object is refused") {
    const TemporaryFolder folder;
    const auto refusal_of_text = [&](std::string_view text) {
      const auto path = folder.write("config.json", text);
      return error_of<FormatError>([&] { read_hf_config(path); });
    };
    CHECK(names(refusal_of_text("[]"), "array"));
    CHECK(names(refusal_of_text("{\"model_type\": \"llama\", \"rope_theta\": Infinity}"), "JSON at byte"));
    CHECK(names(refusal_of_text(R"({"model_type": "llama", "model_type": "qwen2"})"), "model_type", "twice"));
    CHECK(names(refusal_of_text(""), "empty"));
  }

  TEST_CASE("a config with one damaged byte is read or refused, and nothing else happens") {
    const TemporaryFolder folder;
    Random random(23);
    for (const json& config : {llama(), deepseek("deepseek_v3")}) {
      const std::string whole = config.dump();
      for (int round = 0; round < 2000; ++round) {
        std::string damaged = whole;
        damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
        const auto path = folder.write("config.json", damaged);
        error_of<FormatError>([&] { read_hf_config(path); });
      }
      for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
        const auto path = folder.write("config.json", whole.substr(0, bytes));
        REQUIRE(error_of<FormatError>([&] { read_hf_config(path); }) != "(no error)");
      }
    }
  }
}
