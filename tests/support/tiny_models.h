// Small models with random weights whose shapes hide nothing: no two sizes are equal, few are multiples of 16.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cpu_reference/transformer.h"
#include "model/blocks.h"
#include "model/config.h"
#include "model/random.h"
#include "model/weights.h"

namespace kv::test {

// Llama-like; kv_heads = heads is MHA, 1 is MQA. window > 0 puts a window on every second layer.
inline ModelConfig tiny_heads(int64_t heads, int64_t kv_heads, int64_t head_dim, int64_t window = 0) {
  ModelConfig config;
  config.name = "tiny";
  config.layers = 3;
  config.model_dim = 44;
  config.hidden_dim = 70;
  config.vocab = 53;
  config.max_context = 4096;
  config.heads = heads;
  config.kv_heads = kv_heads;
  config.key_head_dim = config.value_head_dim = head_dim;
  config.rope.dim = head_dim;
  config.norm_eps = 1e-5;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    config.layer_cache.push_back(LayerCache::per_head(kv_heads, head_dim, head_dim, layer % 2 == 0 ? window : 0));
  validate(config);
  return config;
}

// Multi-head latent attention, with a query latent when query_latent_dim > 0.
inline ModelConfig tiny_latent(int64_t query_latent_dim = 0) {
  ModelConfig config = tiny_heads(5, 5, 22);
  config.family = Family::deepseek_v3;
  config.latent = {query_latent_dim, 20, 14, 8, 1e-6};
  config.value_head_dim = 18;
  config.rope.dim = 8;
  config.rope.pairing = RopeConfig::Pairing::interleaved;
  for (LayerCache& cache : config.layer_cache) cache = LayerCache::latent(20, 8);
  validate(config);
  return config;
}

struct TinyModel {
  ModelConfig config;
  Weights weights;

  explicit TinyModel(ModelConfig c, Dtype dtype = Dtype::f32, uint64_t seed = 7)
      : config(std::move(c)), weights(random_weights(config, seed, dtype)) {}
  cpu::Model model() const { return {config, weights}; }
};

inline std::vector<int32_t> random_tokens(const ModelConfig& config, int64_t count, uint64_t seed = 3) {
  Random random(seed, "tokens");
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<int32_t>(random.below(config.vocab)));
  return tokens;
}

// Normal values, seeded by name.
template <class Scalar = float>
cpu::Matrix<Scalar> random_matrix(int64_t rows, int64_t cols, const std::string& name) {
  Random random(11, name);
  cpu::Matrix<Scalar> matrix(rows, cols);
  for (int64_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<Scalar>(random.normal());
  return matrix;
}

// A weight matrix that owns its values.
struct OwnedWeight {
  std::vector<std::byte> bytes;
  WeightMatrix view;

  OwnedWeight(const cpu::Matrix<float>& values, Dtype dtype, const std::string& name = "weight") {
    bytes.resize(static_cast<size_t>(values.size() * bytes_of(dtype)));
    cpu::store_row(bytes.data(), dtype, values.data(), values.size());
    view = {bytes.data(), dtype, values.rows(), values.cols(), name};
  }

  // Blocks of random integers with scales near 1/100, seeded by name. `cols` fills whole blocks.
  static OwnedWeight blocks(int64_t rows, int64_t cols, Dtype dtype, const std::string& name = "weight") {
    OwnedWeight made(rows * bytes_of_row(dtype, cols));
    Random random(11, name);
    for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(random.below(256));
    const DtypeFacts facts = facts_of(dtype);
    const bool has_minimum =
        dtype == Dtype::q4_1 || dtype == Dtype::q5_1 || dtype == Dtype::q4_k || dtype == Dtype::q5_k;
    const size_t scale_at = dtype == Dtype::q6_k ? 208 : 0;
    for (size_t at = scale_at; at < made.bytes.size(); at += static_cast<size_t>(facts.block_bytes)) {
      const uint16_t scale = to_f16(static_cast<float>(0.01 * (1 + 0.3 * random.normal())));
      std::memcpy(&made.bytes[at], &scale, sizeof scale);
      if (has_minimum) std::memcpy(&made.bytes[at + 2], &scale, sizeof scale);
    }
    made.view = {made.bytes.data(), dtype, rows, cols, name};
    return made;
  }

 private:
  explicit OwnedWeight(int64_t count) : bytes(static_cast<size_t>(count)) {}
};

// The same values, stored as f32.
inline OwnedWeight widened(const WeightMatrix& w) {
  cpu::Matrix<float> values(w.rows, w.cols);
  for (int64_t r = 0; r < w.rows; ++r) widen_row(w.dtype, w.row(r), w.cols, values.data() + r * w.cols);
  return OwnedWeight(values, Dtype::f32, w.name);
}

}  // namespace kv::test
