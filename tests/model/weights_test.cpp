#include "model/weights.h"

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <stdexcept>

#include "model/parameters.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

// No two sizes are equal, so that a transposed shape shows.
ModelConfig small_config(Family family) {
  ModelConfig config;
  config.family = family;
  config.layers = 2;
  config.model_dim = 30;
  config.hidden_dim = 46;
  config.vocab = 101;
  config.max_context = 64;
  config.heads = 6;
  config.kv_heads = 2;
  config.key_head_dim = config.value_head_dim = config.rope.dim = 8;
  config.layer_cache.assign(2, LayerCache::per_head(2, 8, 8));
  return config;
}

ModelConfig small_latent_config() {
  ModelConfig config = small_config(Family::deepseek_v3);
  config.kv_heads = 6;
  config.latent = {.query_latent_dim = 26, .latent_dim = 20, .nope_dim = 12, .rope_dim = 4};
  config.key_head_dim = 16;
  config.value_head_dim = 10;
  config.rope.dim = 4;
  config.layer_cache.assign(2, LayerCache::latent(20, 4));
  return config;
}

std::set<std::string> names_of(const ModelConfig& config) {
  Weights weights;
  std::set<std::string> list;
  for (const ExpectedTensor& tensor : expected_tensors(config, weights)) list.insert(tensor.name);
  return list;
}

int64_t count_of(Family family, int64_t layers, int64_t model_dim, int64_t hidden_dim, int64_t vocab, int64_t heads,
                 int64_t kv_heads, int64_t head_dim, bool tied) {
  ModelConfig config = small_config(family);
  config.layers = layers;
  config.model_dim = model_dim;
  config.hidden_dim = hidden_dim;
  config.vocab = vocab;
  config.heads = heads;
  config.kv_heads = kv_heads;
  config.key_head_dim = config.value_head_dim = head_dim;
  config.tied_embeddings = tied;
  return parameter_count(config);
}

float f32_at(const WeightMatrix& matrix, int64_t row, int64_t col) {
  float value;
  std::memcpy(&value, matrix.row(row) + col * 4, sizeof value);
  return value;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("parameter counts equal the published ones, a tied head counted once") {
    CHECK(count_of(Family::llama, 32, 4096, 11008, 32000, 32, 32, 128, false) == 6738415616);  // Llama-2-7B
    CHECK(count_of(Family::llama, 32, 4096, 14336, 128256, 32, 8, 128, false) == 8030261248);  // Llama-3-8B
    CHECK(count_of(Family::llama, 30, 576, 1536, 49152, 9, 3, 64, true) == 134515008);         // SmolLM2-135M
    CHECK(count_of(Family::llama, 6, 288, 768, 32000, 6, 6, 48, true) == 15191712);            // a 15M teaching model
    CHECK(count_of(Family::llama, 6, 288, 768, 32000, 6, 6, 48, false) == 24407712);
  }

  TEST_CASE("biases, head norms and the head are asked for exactly where the config says so") {
    ModelConfig config = small_config(Family::llama);
    CHECK(names_of(config).size() == 3 + 2 * 9);
    CHECK(names_of(config).contains("lm_head.weight"));
    config.tied_embeddings = true;
    CHECK(!names_of(config).contains("lm_head.weight"));
    config.qkv_bias = true;
    CHECK(names_of(config).contains("model.layers.1.self_attn.k_proj.bias"));
    CHECK(!names_of(config).contains("model.layers.1.self_attn.o_proj.bias"));
    config.output_bias = config.feed_forward_bias = config.query_key_norm = true;
    CHECK(names_of(config).contains("model.layers.1.self_attn.o_proj.bias"));
    CHECK(names_of(config).contains("model.layers.0.mlp.down_proj.bias"));
    CHECK(names_of(config).contains("model.layers.0.self_attn.q_norm.weight"));
  }

  TEST_CASE("latent attention asks for its own projections, with and without a query latent") {
    ModelConfig config = small_latent_config();
    CHECK(names_of(config).contains("model.layers.0.self_attn.q_b_proj.weight"));
    CHECK(names_of(config).contains("model.layers.0.self_attn.kv_a_layernorm.weight"));
    CHECK(!names_of(config).contains("model.layers.0.self_attn.k_proj.weight"));
    config.latent.query_latent_dim = 0;
    CHECK(names_of(config).contains("model.layers.0.self_attn.q_proj.weight"));
    CHECK(!names_of(config).contains("model.layers.0.self_attn.q_a_proj.weight"));
  }

  TEST_CASE("random weights fill every place, and the same seed gives the same bytes") {
    for (const ModelConfig& config : {small_config(Family::qwen3), small_latent_config()}) {
      Weights first = random_weights(config, 5), second = random_weights(config, 5), third = random_weights(config, 6);
      validate(first, config);
      CHECK(std::memcmp(first.embedding.data, second.embedding.data, static_cast<size_t>(first.embedding.bytes())) ==
            0);
      CHECK(std::memcmp(first.embedding.data, third.embedding.data, static_cast<size_t>(first.embedding.bytes())) != 0);
      CHECK(f32_at(first.layers[0].gate, 0, 0) != f32_at(first.layers[1].gate, 0, 0));
    }
  }

  TEST_CASE("a tied head is the embedding itself") {
    ModelConfig config = small_config(Family::llama);
    config.tied_embeddings = true;
    const Weights weights = random_weights(config, 1);
    CHECK(weights.head.data == weights.embedding.data);
    CHECK(weights.head.rows == config.vocab);
  }

  TEST_CASE("a block of rows begins where its first row does") {
    const Weights weights = random_weights(small_config(Family::llama), 1);
    const WeightMatrix block = weights.embedding.row_block(7, 3);
    CHECK(block.rows == 3);
    CHECK(f32_at(block, 0, 2) == f32_at(weights.embedding, 7, 2));
    CHECK(f32_at(block, 2, 29) == f32_at(weights.embedding, 9, 29));
  }

  TEST_CASE("conversion rounds every value to the new type, and back gives the rounded one") {
    const ModelConfig config = small_config(Family::qwen3);
    const Weights f32 = random_weights(config, 9);
    const Weights bf16 = converted(f32, config, Dtype::bf16), again = converted(bf16, config, Dtype::f32);
    CHECK(bf16.embedding.dtype == Dtype::bf16);
    CHECK(bf16.embedding.bytes() == f32.embedding.bytes() / 2);
    const float value = f32_at(f32.layers[1].down, 3, 41);
    CHECK(f32_at(again.layers[1].down, 3, 41) == from_bf16(to_bf16(value)));
    const Weights f16 = converted(converted(f32, config, Dtype::f16), config, Dtype::f32);
    CHECK(f32_at(f16.layers[1].down, 3, 41) == from_f16(to_f16(value)));
  }

  TEST_CASE("weights that do not fit their config are refused, with the tensor and both shapes") {
    const ModelConfig config = small_config(Family::llama);
    const auto refusal = [&](const Weights& weights) {
      return error_of<std::invalid_argument>([&] { validate(weights, config); });
    };
    Weights weights = random_weights(config, 1);
    std::swap(weights.layers[1].gate.rows, weights.layers[1].gate.cols);
    CHECK(names(refusal(weights), "model.layers.1.mlp.gate_proj.weight", "[46, 30]", "[30, 46]"));
    weights = random_weights(config, 1);
    weights.layers[0].key = {};
    CHECK(names(refusal(weights), "model.layers.0.self_attn.k_proj.weight", "missing"));
    weights = random_weights(config, 1);
    weights.layers.pop_back();
    CHECK(names(refusal(weights), "1 layers", "2"));
  }
}
