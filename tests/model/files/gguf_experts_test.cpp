// Mixtures of experts in GGUF files: described for sizing, refused for running.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/error.h"
#include "model/files/gguf_checkpoint.h"
#include "model/files/gguf_config.h"
#include "model/parameters.h"
#include "tests/support/error_of.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using namespace kv::test;

namespace {

using Keys = std::vector<std::pair<const char*, uint32_t>>;

// A file of 3 layers without tensors but for those named, whose sizes are all different.
std::string file_of(const std::string& architecture, const Keys& keys, const std::vector<std::string>& tensors = {}) {
  GgufBytes file;
  file.text_key("general.architecture", architecture);
  const auto add = [&](const char* key, uint32_t value) {
    file.u32_key(fmt::format("{}.{}", architecture, key), value);
  };
  const Keys usual = {{"block_count", 3},
                      {"context_length", 64},
                      {"embedding_length", 48},
                      {"attention.head_count", 6},
                      {"vocab_size", 101}};
  for (const auto& [key, value] : usual) add(key, value);
  for (const auto& [key, value] : keys) add(key, value);
  file.key(architecture + ".attention.layer_norm_rms_epsilon", f32, number_bytes(1e-5f));
  for (const std::string& name : tensors) file.tensor(name, {1}, 0, number_bytes(1.0f));
  return file.bytes();
}

ModelConfig read(const std::string& bytes) {
  const TemporaryFolder folder;
  return read_gguf_config(read_gguf(folder.write("model.gguf", bytes)));
}

std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const auto path = folder.write("model.gguf", bytes);
  return error_of<FormatError>([&] { load_gguf_checkpoint(path); });
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("llama files with experts are Mixtral, whose experts have the size of a dense layer") {
    const std::string mixtral = file_of(
        "llama",
        {{"attention.head_count_kv", 2}, {"feed_forward_length", 52}, {"expert_count", 5}, {"expert_used_count", 2}});
    const ModelConfig config = read(mixtral);
    CHECK(config.family == Family::mixtral);
    CHECK(config.experts.count == 5);
    CHECK(config.experts.used == 2);
    CHECK(config.experts.hidden_dim == 52);
    CHECK(config.sizes_of(0).experts);
    CHECK(config.cache_bytes(1, Dtype::bf16) == 3 * 2 * 2 * 8 * 2);
    const int64_t attention = 48 * 48 + 2 * 16 * 48 + 48 * 48;
    CHECK(parameter_count(config) == 3 * (attention + 5 * 48 + 5 * 3 * 52 * 48 + 2 * 48) + 48 + 101 * 48);
    CHECK(names(refusal(mixtral), "model.gguf: is a mixture of 5 experts", "runs dense layers only"));
    CHECK(names(refusal(file_of("llama", {{"attention.head_count_kv", 2},
                                          {"feed_forward_length", 52},
                                          {"expert_count", 5},
                                          {"expert_used_count", 6}})),
                "expert_used_count", "is 6"));
  }

  TEST_CASE("Qwen's files state the size of an expert, and of the shared one") {
    const ModelConfig older = read(file_of("qwen2moe",
                                           {{"expert_count", 5},
                                            {"expert_used_count", 2},
                                            {"expert_feed_forward_length", 11},
                                            {"expert_shared_feed_forward_length", 13}},
                                           {"blk.0.attn_q.bias"}));
    CHECK(older.family == Family::qwen2_moe);
    CHECK(older.experts.hidden_dim == 11);
    CHECK(older.experts.shared_hidden_dim == 13);
    CHECK(older.experts.shared_gate);
    CHECK(older.qkv_bias);
    const ModelConfig newer = read(file_of("qwen3moe", {{"feed_forward_length", 52},
                                                        {"expert_count", 5},
                                                        {"expert_used_count", 2},
                                                        {"expert_feed_forward_length", 11}}));
    CHECK(newer.family == Family::qwen3_moe);
    CHECK(newer.query_key_norm);
    CHECK(newer.experts.hidden_dim == 11);
    CHECK(newer.experts.shared_hidden_dim == 0);
    CHECK(!newer.experts.shared_gate);
    CHECK(count_parameters(newer).experts == 3 * (5 * 48 + 5 * 3 * 11 * 48));
  }

  TEST_CASE("DeepSeek's first layers are dense, and its shared experts are counted") {
    const Keys sizes = {
        {"feed_forward_length", 52},        {"attention.kv_lora_rank", 20}, {"rope.dimension_count", 8},
        {"attention.key_length", 20},       {"attention.value_length", 10}, {"expert_count", 5},
        {"attention.q_lora_rank", 26},      {"attention.head_count_kv", 1}, {"expert_used_count", 2},
        {"expert_feed_forward_length", 11}, {"expert_shared_count", 2},     {"leading_dense_block_count", 1}};
    const ModelConfig config = read(file_of("deepseek2", sizes, {"blk.2.exp_probs_b.bias"}));
    CHECK(config.experts.shared_hidden_dim == 22);
    CHECK(config.experts.router_bias);
    CHECK(!config.sizes_of(0).experts);
    CHECK(config.sizes_of(1).experts);
    CHECK(config.cache_values_per_token() == 3 * 28);
    const ParameterCount count = count_parameters(config);
    CHECK(count.feed_forward == 3 * 52 * 48);
    CHECK(count.experts == 2 * (5 * 48 + 5 + 5 * 3 * 11 * 48 + 3 * 22 * 48));
  }
}
