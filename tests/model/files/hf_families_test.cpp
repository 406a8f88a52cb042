// What the families of config.json describe beside those that run: caches, windows, experts and fixed states.
#include "model/files/hf_families.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/error.h"
#include "model/files/hf_config.h"
#include "model/parameters.h"
#include "model/presets.h"
#include "model/random.h"
#include "tests/fuzz/targets.h"
#include "tests/support/error_of.h"
#include "tests/support/one_line.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;
using nlohmann::json;

namespace {

ModelConfig read(const json& config) { return parse_hf_config("config.json", config.dump()); }

std::string refusal(const json& config) {
  return error_of<FormatError>([&] { read(config); });
}

// The fields of any family's usual names; no two sizes are equal.
json usual(const char* model_type, const json& fields = json::object()) {
  json config = {{"model_type", model_type}, {"num_hidden_layers", 4},   {"hidden_size", 48},
                 {"intermediate_size", 52},  {"num_attention_heads", 6}, {"num_key_value_heads", 2},
                 {"vocab_size", 101},        {"torch_dtype", "bfloat16"}};
  config.update(fields);
  return config;
}

json without(json config, const char* key) {
  config.erase(key);
  return config;
}

int64_t bytes_per_token(const json& config) { return read(config).cache_bytes(1, Dtype::bf16); }

using Windows = std::vector<int64_t>;

Windows windows(const ModelConfig& config) {
  Windows list;
  for (const LayerCache& cache : config.layer_cache) list.push_back(cache.window);
  return list;
}

Windows windows(const json& config) { return windows(read(config)); }

// The layers that keep something for each token.
std::vector<int64_t> caching_layers(const ModelConfig& config) {
  std::vector<int64_t> layers;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    if (config.layer_cache[static_cast<size_t>(layer)].values_per_token() > 0) layers.push_back(layer);
  return layers;
}

std::vector<bool> expert_layers(const ModelConfig& config) {
  std::vector<bool> layers;
  for (int64_t layer = 0; layer < config.layers; ++layer) layers.push_back(config.sizes_of(layer).experts);
  return layers;
}

using Flags = std::vector<bool>;

bool assumed(const ModelConfig& config, const std::string& sentence) {
  return std::find(config.assumed.begin(), config.assumed.end(), sentence) != config.assumed.end();
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("a model_type that is not known is named, with those that are") {
    const std::string error = refusal(usual("gpt_j"));
    CHECK(names(error, "config.json: model_type is the string \"gpt_j\"; kvlab knows ", "cohere", "qwen3_5"));
    CHECK(test::is_one_printable_line(error));
    CHECK(names(refusal(without(usual("llama"), "model_type")), "model_type is missing"));
    for (const char* type : {"llama", "mistral", "qwen2", "qwen3"}) CHECK(read(usual(type)).cannot_run.empty());
    for (const char* type : {"mixtral", "qwen2_moe", "qwen3_moe", "gemma2", "gemma3", "phi3", "falcon", "gpt_neox",
                             "starcoder2", "olmo2", "gpt_oss", "cohere", "jamba", "qwen3_5"})
      CHECK(
          names(read(usual(type)).cannot_run, "model_type is the string \"" + std::string(type) + "\"", "kvlab runs"));
  }

  // --- Sizes that others got wrong ---

  TEST_CASE("one token's bytes of models whose head size is not the quotient") {
    CHECK(bytes_per_token(usual("gemma3_text", {{"num_hidden_layers", 18},
                                                {"num_key_value_heads", 1},
                                                {"hidden_size", 640},
                                                {"num_attention_heads", 4},
                                                {"head_dim", 256}})) == 18432);  // Gemma-3-270m; divided: 11,520
    CHECK(bytes_per_token(without(usual("gemma3_text", {{"num_hidden_layers", 18}, {"num_key_value_heads", 1}}),
                                  "head_dim")) == 18432);
    CHECK(bytes_per_token(usual("phi3", {{"num_hidden_layers", 32},
                                         {"num_key_value_heads", 32},
                                         {"hidden_size", 3072},
                                         {"num_attention_heads", 32}})) == 393216);
    CHECK(bytes_per_token(usual("gpt_oss", {{"hidden_size", 2880},
                                            {"num_attention_heads", 64},
                                            {"num_key_value_heads", 8},
                                            {"num_hidden_layers", 24}})) == 49152);
    CHECK(names(refusal(usual("olmo2", {{"hidden_size", 50}})), "no head_dim", "hidden_size (50)",
                "num_attention_heads (6)"));
    CHECK(names(refusal({{"model_type", "gpt2"}, {"n_layer", 2}, {"n_embd", 50}, {"n_head", 6}, {"vocab_size", 9}}),
                "n_embd (50)", "n_head (6)"));
  }

  TEST_CASE("families that have one number of heads do not look for another") {
    const json gpt2 = {{"model_type", "gpt2"}, {"n_layer", 12}, {"n_embd", 768}, {"n_head", 12}, {"vocab_size", 50257}};
    CHECK(bytes_per_token(gpt2) == 36864);
    const ModelConfig config = read(gpt2);
    CHECK(config.hidden_dim == 3072);
    CHECK(config.learned_positions == 1024);
    CHECK(config.rope.dim == 0);
    CHECK(assumed(config, "n_inner is absent: 3072, 4 x n_embd"));
    CHECK(bytes_per_token(without(usual("gpt_neox"), "num_key_value_heads")) == 4 * 2 * 48 * 2);
    // Newer writers use the usual names in these families too; both may stand, if they agree.
    json renamed = gpt2;
    renamed["num_hidden_layers"] = 12;
    CHECK(bytes_per_token(without(renamed, "n_layer")) == 36864);
    CHECK(bytes_per_token(renamed) == 36864);
    renamed["num_hidden_layers"] = 13;
    CHECK(names(refusal(renamed), "num_hidden_layers is 13, but n_layer is 12"));
    CHECK(names(refusal(without(gpt2, "n_layer")), "n_layer is missing"));
  }

  TEST_CASE("falcon has three layouts: one head for all, groups, and as many as queries") {
    const json falcon = usual("falcon", {{"hidden_size", 96}, {"num_attention_heads", 12}});  // head_dim 8
    CHECK(bytes_per_token(falcon) == 4 * 2 * 1 * 8 * 2);
    CHECK(assumed(read(falcon), "multi_query is absent: true"));
    json grouped = falcon;
    grouped["new_decoder_architecture"] = true;
    grouped["num_kv_heads"] = 3;
    CHECK(bytes_per_token(grouped) == 4 * 2 * 3 * 8 * 2);
    CHECK(bytes_per_token(without(grouped, "num_kv_heads")) == 4 * 2 * 12 * 8 * 2);
    json many = falcon;
    many["multi_query"] = false;
    CHECK(bytes_per_token(many) == 4 * 2 * 12 * 8 * 2);
    CHECK(read(falcon).norms_per_layer == 1);
    CHECK(read(grouped).norms_per_layer == 2);
    many["parallel_attn"] = false;
    CHECK(read(many).norms_per_layer == 2);
    // The files of the first release.
    const json first = {
        {"model_type", "RefinedWeb"}, {"n_layer", 60}, {"hidden_size", 8192}, {"n_head", 128}, {"n_head_kv", 8},
        {"vocab_size", 65024}};
    CHECK(bytes_per_token(first) == 122880);
    CHECK(parameter_count(read(first)) == 41303293952);
  }

  TEST_CASE("starcoder shares one key and one value among all heads, unless multi_query is false") {
    const json starcoder = {
        {"model_type", "gpt_bigcode"}, {"n_layer", 40}, {"n_embd", 6144}, {"n_head", 48}, {"vocab_size", 49152}};
    CHECK(bytes_per_token(starcoder) == 20480);
    json many = starcoder;
    many["multi_query"] = false;
    CHECK(bytes_per_token(many) == 48 * 20480);
  }

  TEST_CASE("OPT's table of positions has two rows more than it has positions, and its smallest model is not counted") {
    const json opt = without(usual("opt", {{"ffn_dim", 52}, {"max_position_embeddings", 20}}), "intermediate_size");
    const ModelConfig config = read(opt);
    CHECK(config.learned_positions == 22);
    CHECK(config.hidden_dim == 52);
    CHECK(bytes_per_token(opt) == 4 * 2 * 48 * 2);
    json narrow = opt;
    narrow["word_embed_proj_dim"] = 16;
    CHECK(names(read(narrow).unknown_parameters, "word_embed_proj_dim is 16", "hidden_size (48)"));
    narrow["word_embed_proj_dim"] = 48;
    CHECK(read(narrow).unknown_parameters.empty());
    narrow["do_layer_norm_before"] = false;
    CHECK(names(read(narrow).unknown_parameters, "do_layer_norm_before"));
  }

  TEST_CASE("small models of every family have the parameters of the modules that transformers builds for them") {
    // Counted by transformers 5.24 over the parameters of AutoModelForCausalLM.from_config, and for deepseek_v3 the 30
    // biases of its routers, which it keeps as buffers.
    const auto count = [](const json& config) { return parameter_count(read(config)); };
    const json head = {{"head_dim", 10}};
    const json experts = {{"num_experts", 5}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 11}};
    const auto also = [](json fields, const json& more) {
      fields.update(more);
      return fields;
    };
    CHECK(count(usual("mixtral", {{"num_local_experts", 5}})) == 185424);
    CHECK(count(usual("qwen2_moe",
                      also(experts, {{"decoder_sparse_step", 2}, {"shared_expert_intermediate_size", 13}}))) == 70160);
    CHECK(count(usual("qwen3_moe", also(experts, {{"head_dim", 10}, {"mlp_only_layers", {0}}}))) == 72896);
    CHECK(count(usual("gemma2", head)) == 66336);
    CHECK(count(usual("gemma3_text", head)) == 66416);
    CHECK(count(usual("phi3")) == 64656);
    CHECK(count(usual("olmo2")) == 64912);
    CHECK(count(usual("olmo2", {{"attention_bias", true}})) == 65424);
    CHECK(count(usual("starcoder2")) == 51168);
    CHECK(count(usual("starcoder2", {{"use_bias", false}, {"tie_word_embeddings", false}})) == 55104);
    CHECK(count(usual("gpt_oss", also(head, {{"num_local_experts", 5}}))) == 195244);
    CHECK(count(usual("cohere")) == 59616);
    CHECK(count(usual("cohere", {{"use_qk_norm", true}, {"attention_bias", true}})) == 60384);
    const json latent = {{"num_key_value_heads", 6}, {"q_lora_rank", 26},     {"kv_lora_rank", 20},
                         {"qk_nope_head_dim", 12},   {"qk_rope_head_dim", 8}, {"v_head_dim", 10}};
    const json deepseek = also(latent, {{"n_routed_experts", 10},
                                        {"n_shared_experts", 2},
                                        {"moe_intermediate_size", 11},
                                        {"first_k_dense_replace", 1}});
    CHECK(count(usual("deepseek_v2", deepseek)) == 121192);
    CHECK(count(usual("deepseek_v3", deepseek)) == 121192 + 30);
    CHECK(count(usual("deepseek_v3", also(deepseek, {{"q_lora_rank", nullptr}, {"attention_bias", true}}))) ==
          126960 + 30);
    CHECK(count(usual("minicpm3", latent)) == 80344);

    const json falcon = without(usual("falcon"), "num_key_value_heads");
    CHECK(count(without(falcon, "intermediate_size")) == 100560);
    CHECK(count(also(falcon, {{"bias", true}, {"parallel_attn", false}, {"multi_query", false}})) == 118032);
    CHECK(count(also(falcon, {{"new_decoder_architecture", true}, {"num_kv_heads", 2}})) == 104016);
    const json gpt2 = {{"model_type", "gpt2"}, {"n_layer", 4},      {"n_embd", 48},
                       {"n_head", 6},          {"n_positions", 20}, {"vocab_size", 101}};
    CHECK(count(gpt2) == 118992);
    CHECK(count(also(gpt2, {{"n_inner", 52}, {"tie_word_embeddings", false}})) == 69520);
    CHECK(count(also(gpt2, {{"model_type", "gpt_bigcode"}})) == 103312);
    CHECK(count(also(gpt2, {{"model_type", "gpt_bigcode"}, {"multi_query", false}})) == 118992);
    CHECK(count(usual("gpt_neox")) == 68560);
    CHECK(count(without(usual("opt", {{"ffn_dim", 52}, {"max_position_embeddings", 20}}), "intermediate_size")) ==
          64768);
  }

  TEST_CASE("Command-R has one norm for attention and feed-forward, without a bias, and a tied head") {
    const ModelConfig config = read(usual("cohere"));
    CHECK(config.norms_per_layer == 1);
    CHECK(!config.norm_bias);
    CHECK(config.tied_embeddings);
    CHECK(config.kv_heads == 2);
    CHECK(!config.norm_of_all_heads);
    CHECK(read(usual("cohere", {{"use_qk_norm", true}})).norm_of_all_heads);
    // Command-R, by its makers' fields; counted in the same way.
    const ModelConfig command_r = read({{"model_type", "cohere"},
                                        {"hidden_size", 8192},
                                        {"intermediate_size", 22528},
                                        {"num_hidden_layers", 40},
                                        {"num_attention_heads", 64},
                                        {"num_key_value_heads", 64},
                                        {"vocab_size", 256000}});
    CHECK(command_r.cache_bytes(1, Dtype::bf16) == 1310720);
    CHECK(parameter_count(command_r) == 34980831232);
  }

  // --- Windows ---

  TEST_CASE("each family has its own rule for windows, and layer_types stands above it where layers differ") {
    const json window = {{"sliding_window", 7}};
    CHECK(windows(usual("mixtral", window)) == Windows{7, 7, 7, 7});
    CHECK(windows(usual("mixtral")) == Windows{0, 0, 0, 0});
    CHECK(windows(usual("phi3", window)) == Windows{7, 7, 7, 7});
    CHECK(windows(usual("phi3", {{"sliding_window", nullptr}})) == Windows{0, 0, 0, 0});
    CHECK(windows(usual("starcoder2", window)) == Windows{7, 7, 7, 7});
    CHECK(windows(usual("gemma2", window)) == Windows{7, 0, 7, 0});
    CHECK(windows(usual("gemma2")) == Windows{4096, 0, 4096, 0});
    CHECK(windows(usual("gpt_oss")) == Windows{128, 0, 128, 0});
    CHECK(windows(usual("gemma3", {{"sliding_window", 7}, {"num_hidden_layers", 7}})) == Windows{7, 7, 7, 7, 7, 0, 7});
    CHECK(windows(usual("gemma3", {{"sliding_window", 7}, {"sliding_window_pattern", 2}})) == Windows{7, 0, 7, 0});
    CHECK(windows(usual("gemma3", {{"sliding_window", 7}, {"_sliding_window_pattern", 3}})) == Windows{7, 7, 0, 7});
    CHECK(windows(usual("llama", window)) == Windows{0, 0, 0, 0});
    CHECK(windows(usual("falcon", window)) == Windows{0, 0, 0, 0});
    const char *full = "full_attention", *sliding = "sliding_attention";
    for (const char* type : {"gemma2", "gemma3", "gpt_oss"})
      CHECK(windows(usual(type, {{"sliding_window", 7}, {"layer_types", {full, full, sliding, sliding}}})) ==
            Windows{0, 0, 7, 7});
    CHECK(names(refusal(usual("gemma2", {{"layer_types", {full, sliding}}})), "layer_types has 2 entries",
                "num_hidden_layers is 4"));
    CHECK(
        names(refusal(usual("gemma3", {{"layer_types", {full, sliding, "local", full}}})), "layer_types[2]", "local"));
    CHECK(names(refusal(usual("gemma2", {{"sliding_window", nullptr}, {"layer_types", {full, full, sliding, full}}})),
                "layer_types[2]", "no sliding window"));
  }

  TEST_CASE("a window of the Mixture-of-experts Qwens holds only with use_sliding_window") {
    const json on = {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 3}};
    const json off = {{"use_sliding_window", false}, {"sliding_window", 7}};
    CHECK(windows(usual("qwen3_moe", on)) == Windows{7, 7, 7, 7});
    CHECK(windows(usual("qwen3_moe", off)) == Windows{0, 0, 0, 0});
    CHECK(windows(usual("qwen2_moe", on)) == Windows{7, 0, 7, 0});
    CHECK(windows(usual("qwen2_moe", off)) == Windows{0, 0, 0, 0});
  }

  TEST_CASE("per layer min(length, window): a window that is longer than the context never takes effect") {
    const ModelConfig gemma = read(usual("gemma2", {{"sliding_window", 10}}));
    CHECK(gemma.cache_bytes(100, Dtype::bf16) == (10 + 100 + 10 + 100) * 2 * 2 * 256 * 2);
    const ModelConfig long_window =
        read(usual("phi3", {{"sliding_window", 262144}, {"max_position_embeddings", 4096}}));
    CHECK(windows(long_window) == Windows{0, 0, 0, 0});
    CHECK(assumed(long_window,
                  "sliding_window is 262144, more than the longest context (4096): no layer ever needs it."));
    CHECK(windows(usual("phi3", {{"sliding_window", 4096}, {"max_position_embeddings", 4096}})) ==
          Windows{4096, 4096, 4096, 4096});
  }

  // --- Experts ---

  TEST_CASE("experts are where the family has them, of the size that it says") {
    const ModelConfig mixtral = read(usual("mixtral"));
    CHECK(mixtral.experts.count == 8);
    CHECK(mixtral.experts.used == 2);
    CHECK(mixtral.experts.hidden_dim == 52);
    CHECK(expert_layers(mixtral) == Flags{true, true, true, true});
    CHECK(assumed(mixtral, "num_local_experts is absent: 8"));

    const ModelConfig qwen = read(usual("qwen2_moe", {{"decoder_sparse_step", 2}, {"num_experts_per_tok", 3}}));
    CHECK(qwen.experts.count == 60);
    CHECK(qwen.experts.used == 3);
    CHECK(qwen.experts.hidden_dim == 1408);
    CHECK(qwen.experts.shared_hidden_dim == 5632);
    CHECK(qwen.experts.shared_gate);
    CHECK(qwen.qkv_bias);
    CHECK(expert_layers(qwen) == Flags{false, true, false, true});
    CHECK(expert_layers(read(usual("qwen3_moe", {{"mlp_only_layers", {0, 2}}}))) == Flags{false, true, false, true});
    CHECK(read(usual("qwen3_moe", {{"num_local_experts", 12}})).experts.count == 12);
    CHECK(names(refusal(usual("qwen3_moe", {{"num_experts", 13}, {"num_local_experts", 12}})),
                "num_local_experts is 12", "num_experts is 13"));

    const ModelConfig oss = read(usual("gpt_oss", {{"num_local_experts", 5}, {"experts_per_token", 3}}));
    CHECK(oss.experts.count == 5);
    CHECK(oss.experts.used == 3);
    CHECK(oss.experts.router_bias);
    CHECK(oss.experts.expert_bias);
    CHECK(oss.attention_sinks);
    CHECK(names(refusal(usual("gpt_oss", {{"num_local_experts", 5}, {"num_experts_per_tok", 6}})), "5 experts",
                "uses 6"));
    CHECK(names(refusal(usual("mixtral", {{"num_local_experts", 0}})), "num_local_experts is 0"));
    CHECK(names(refusal(usual("qwen3_moe", {{"mlp_only_layers", {-1}}})), "mlp_only_layers[0] is -1"));
  }

  TEST_CASE("DeepSeek's first layers are dense, and an explicit null for experts means that all are") {
    const json sizes = {{"n_routed_experts", 10},      {"num_experts_per_tok", 3}, {"n_shared_experts", 2},
                        {"moe_intermediate_size", 11}, {"q_lora_rank", nullptr},   {"first_k_dense_replace", 1}};
    const ModelConfig config = read(usual("deepseek_v2", sizes));
    CHECK(expert_layers(config) == Flags{false, true, true, true});
    CHECK(config.experts.shared_hidden_dim == 22);
    CHECK(!config.experts.router_bias);
    CHECK(names(config.cannot_run, "num_key_value_heads is 2"));  // the first reason stands
    json dense = sizes;
    dense["n_routed_experts"] = nullptr;
    CHECK(read(usual("deepseek_v2", dense)).experts.count == 0);
    json every_other = sizes;
    every_other["moe_layer_freq"] = 2;
    CHECK(expert_layers(read(usual("deepseek_v3", every_other))) == Flags{false, false, true, false});
    CHECK(read(usual("deepseek_v3", sizes)).experts.router_bias);
    json silent = sizes;
    silent.erase("num_experts_per_tok");
    CHECK(read(usual("deepseek_v3", silent)).experts.used == 8);
    CHECK(assumed(read(usual("deepseek_v2", silent)),
                  "num_experts_per_tok is absent: 0, since deepseek_v2 has no default"));
  }

  TEST_CASE("experts of a family that has none leave the parameters unknown, and the cache known") {
    const ModelConfig config = read(usual("llama", {{"num_local_experts", 8}}));
    CHECK(names(config.cannot_run, "num_local_experts is 8"));
    CHECK(names(config.unknown_parameters, "num_local_experts is 8", "llama"));
    CHECK(config.cache_bytes(1, Dtype::bf16) == 4 * 2 * 2 * 8 * 2);
  }

  TEST_CASE("latent attention: MiniCPM3 has sizes of its own, and its value heads are the quotient") {
    json minicpm = usual("minicpm3", {{"num_key_value_heads", 6}});
    const ModelConfig config = read(minicpm);
    CHECK(config.latent.latent_dim == 256);
    CHECK(config.latent.query_latent_dim == 768);
    CHECK(config.key_head_dim == 64 + 32);
    CHECK(config.value_head_dim == 8);
    CHECK(config.cache_bytes(1, Dtype::bf16) == 4 * (256 + 32) * 2);
    minicpm["hidden_size"] = 50;
    CHECK(names(refusal(minicpm), "v_head_dim", "hidden_size (50)", "num_attention_heads (6)"));
    minicpm["v_head_dim"] = 64;
    CHECK(read(minicpm).value_head_dim == 64);
  }

  // --- Layers that keep a fixed state ---

  TEST_CASE("Jamba attends in layers 4, 12, 20 and 28 of 32, and the others keep a state of one size") {
    const json jamba = {{"model_type", "jamba"},      {"num_hidden_layers", 32},   {"hidden_size", 4096},
                        {"intermediate_size", 14336}, {"num_attention_heads", 32}, {"num_key_value_heads", 8},
                        {"vocab_size", 65536},        {"attn_layer_period", 8},    {"attn_layer_offset", 4},
                        {"torch_dtype", "bfloat16"}};
    const ModelConfig config = read(jamba);
    CHECK(caching_layers(config) == std::vector<int64_t>{4, 12, 20, 28});
    CHECK(config.cache_bytes(1, Dtype::bf16) == 4 * 2 * 8 * 128 * 2);
    CHECK(config.layer_cache[4].state_bytes == 0);
    CHECK(config.layer_cache[5].kind == LayerCache::Kind::none);
    CHECK(config.layer_cache[5].state_bytes == 8192 * (4 + 16) * 2);
    CHECK(config.experts.count == 16);
    CHECK(!config.sizes_of(0).experts);
    CHECK(config.sizes_of(1).experts);
    CHECK(config.rope.dim == 0);
    CHECK(names(config.unknown_parameters, "Mamba"));
    json wrong = jamba;
    wrong["attn_layer_offset"] = 8;
    CHECK(names(refusal(wrong), "attn_layer_offset (8)", "attn_layer_period (8)"));
    wrong["attn_layer_period"] = 0;
    CHECK(names(refusal(wrong), "attn_layer_period is 0"));
  }

  TEST_CASE(
      "Qwen3.5 attends in every fourth layer, or where layer_types says so, and the others keep a matrix a head") {
    const ModelConfig config = read(usual("qwen3_5", {{"linear_num_value_heads", 5},
                                                      {"linear_num_key_heads", 3},
                                                      {"linear_key_head_dim", 16},
                                                      {"linear_value_head_dim", 20},
                                                      {"linear_conv_kernel_dim", 4}}));
    CHECK(caching_layers(config) == std::vector<int64_t>{3});
    CHECK(config.layer_cache[0].state_bytes == 5 * 16 * 20 * 4 + (2 * 3 * 16 + 5 * 20) * 4 * 2);
    CHECK(config.layer_cache[3].values_per_token() == 2 * 2 * 256);
    CHECK(names(config.unknown_parameters, "linear attention"));
    CHECK(caching_layers(read(usual("qwen3_5", {{"full_attention_interval", 2}}))) == std::vector<int64_t>{1, 3});
    const char *full = "full_attention", *linear = "linear_attention";
    CHECK(caching_layers(read(usual("qwen3_5", {{"layer_types", {full, linear, linear, full}}}))) ==
          std::vector<int64_t>{0, 3});
    CHECK(names(refusal(usual("qwen3_5", {{"layer_types", {full, linear, linear}}})), "layer_types has 3 entries"));
    CHECK(names(refusal(usual("qwen3_5", {{"layer_types", {full, linear, "sliding_attention", full}}})),
                "layer_types[2]", "sliding_attention"));
  }

  // --- Parts of multimodal files ---

  TEST_CASE("a part of a file may be silent about sizes, and then has its class's; a whole file may not") {
    const json gemma = {{"model_type", "gemma3"},
                        {"text_config",
                         {{"model_type", "gemma3_text"},
                          {"hidden_size", 2560},
                          {"intermediate_size", 10240},
                          {"num_hidden_layers", 34},
                          {"sliding_window", 1024}}},
                        {"vision_config", {{"hidden_size", 1152}}}};
    const ModelConfig config = read(gemma);
    CHECK(config.heads == 8);
    CHECK(config.kv_heads == 4);
    CHECK(config.key_head_dim == 256);
    CHECK(config.vocab == 262208);
    CHECK(config.tied_embeddings);
    CHECK(assumed(config, "text_config.num_attention_heads is absent: 8, the default of gemma3"));
    CHECK(assumed(config, "text_config.vocab_size is absent: 262208, the default of gemma3"));
    CHECK(assumed(config, "vision_config is not described: sizes are of the language model alone."));
    json whole = gemma["text_config"];
    CHECK(names(refusal(whole), "vocab_size is missing"));

    const json llava = {{"model_type", "llava"},
                        {"text_config", {{"model_type", "llama"}, {"vocab_size", 32064}, {"torch_dtype", "float16"}}}};
    CHECK(bytes_per_token(llava) == 524288);
  }

  TEST_CASE("parts are found under each of their names, and the model_type may stand outside") {
    for (const char* name : {"text_config", "llm_config", "language_config"}) {
      const ModelConfig config = read({{"model_type", "something_with_eyes"}, {name, usual("qwen2")}});
      CHECK(config.family == Family::qwen2);
      CHECK(config.model_dim == 48);
    }
    CHECK(read({{"thinker_config", {{"text_config", usual("qwen2")}}}}).model_dim == 48);
    CHECK(read({{"model_type", "gemma3"}, {"text_config", without(usual("x"), "model_type")}}).family ==
          Family::gemma3);
    const json kimi = {{"model_type", "kimi_vl"},
                       {"text_config", usual("deepseek_v3", {{"num_key_value_heads", 6}, {"n_routed_experts", 64}})}};
    CHECK(bytes_per_token(kimi) == 4 * 576 * 2);
    CHECK(read(usual("kimi_k2", {{"num_key_value_heads", 6}})).family == Family::deepseek_v3);
    CHECK(names(refusal({{"text_config", usual("gpt_j")}}), "text_config.model_type is the string \"gpt_j\""));
    CHECK(names(refusal({{"model_type", "gemma3"}, {"text_config", 7}}), "text_config"));
  }

  TEST_CASE("older and newer writers describe the same model") {
    const json older =
        usual("gemma3", {{"rope_theta", 1e6}, {"rope_scaling", {{"rope_type", "linear"}, {"factor", 8.0}}}});
    const json newer =
        without(usual("gemma3", {{"dtype", "bfloat16"},
                                 {"rope_parameters",
                                  {{"full_attention", {{"rope_theta", 1e6}, {"rope_type", "linear"}, {"factor", 8.0}}},
                                   {"sliding_attention", {{"rope_theta", 1e4}, {"rope_type", "default"}}}}}}),
                "torch_dtype");
    for (const json& config : {older, newer}) {
      CHECK(read(config).rope.theta == 1e6);
      CHECK(read(config).rope.factor == 8.0);
      CHECK(read(config).weights_dtype == Dtype::bf16);
    }
    CHECK(read(usual("gpt_neox", {{"rotary_pct", 0.5}, {"rotary_emb_base", 500}})).rope.dim == 4);
    CHECK(read(usual("gpt_neox", {{"rope_parameters", {{"rope_theta", 500.0}, {"partial_rotary_factor", 0.5}}}}))
              .rope.theta == 500);
    CHECK(read(usual("gpt_neox")).rope.dim == 2);  // a quarter of 8
  }

  // --- Errors ---

  TEST_CASE("sizes that are wrong stay errors of one line in every family") {
    for (const char* type : {"mixtral", "qwen2_moe", "qwen3_moe", "gemma2", "gemma3", "phi3", "olmo2", "gpt_oss",
                             "cohere", "jamba", "qwen3_5", "starcoder2", "minicpm3"}) {
      CAPTURE(type);
      const json valid = usual(type, {{"num_key_value_heads", type == std::string("minicpm3") ? 6 : 2}});
      REQUIRE(refusal(valid) == "(no error)");
      for (const char* key : {"num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads",
                              "num_key_value_heads", "intermediate_size"})
        for (const json& wrong : {json(0), json(-4), json("8"), json(8.0), json(true), json(999'999'999'999)}) {
          json config = valid;
          config[key] = wrong;
          const std::string error = refusal(config);
          CHECK(names(error, "config.json: " + std::string(key) + " is "));
          CHECK(test::is_one_printable_line(error));
        }
    }
    CHECK(names(refusal(usual("mixtral", {{"num_local_experts", 60000},
                                          {"intermediate_size", 1 << 22},
                                          {"hidden_size", 1 << 17},
                                          {"num_attention_heads", 1 << 10},
                                          {"num_hidden_layers", 1 << 10}})),
                "more than kvlab can count"));
  }

  TEST_CASE("a config of any family with one damaged byte is read or refused, and nothing else happens") {
    Random random(61);
    for (const Preset& preset : presets()) {
      CAPTURE(std::string(preset.name));
      for (int round = 0; round < 150; ++round) {
        std::string damaged(preset.config_json);
        damaged[static_cast<size_t>(random.below(std::ssize(damaged)))] = static_cast<char>(random.below(256));
        CHECK_NOTHROW(fuzz::try_config(damaged));
      }
    }
  }
}
