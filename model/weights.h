// Weights: where each tensor of a model lies in memory, under the name that the forward pass uses.
//
// A WeightMatrix is a view: the bytes belong to a mapped file or to an arena, and stay in the type they are stored in.
// The product widens them as it loads them (cpu_reference/linear.cpp); nothing here does arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/dtype.h"

namespace kv {

// [rows, cols], row-major, contiguous. A vector is [1, cols]. rows == 0: the model has no such tensor.
struct WeightMatrix {
  const std::byte* data = nullptr;
  Dtype dtype = Dtype::f32;
  int64_t rows = 0;
  int64_t cols = 0;
  std::string name;  // as the file calls it, for error messages

  bool present() const { return rows > 0; }
  int64_t row_bytes() const { return bytes_of_row(dtype, cols); }
  int64_t bytes() const { return rows * row_bytes(); }
  const std::byte* row(int64_t r) const { return data + r * row_bytes(); }
  // Rows begin .. begin + count of this matrix.
  WeightMatrix row_block(int64_t begin, int64_t count) const;
};

// Projections are [out, in]: y = W x. Names in brackets: the field of Hugging Face's checkpoints.
struct LayerWeights {
  WeightMatrix attention_norm;  // [1, model_dim]                              (input_layernorm)
  // Per-head attention.
  WeightMatrix query, query_bias;     // [heads * key_head_dim, model_dim]       (q_proj)
  WeightMatrix key, key_bias;         // [kv_heads * key_head_dim, model_dim]    (k_proj)
  WeightMatrix value, value_bias;     // [kv_heads * value_head_dim, model_dim]  (v_proj)
  WeightMatrix query_norm, key_norm;  // [1, key_head_dim], qwen3                (q_norm, k_norm)
  // Latent attention. With no query latent, `query` above is [heads * key_head_dim, model_dim].
  WeightMatrix query_down, query_down_bias;    // [query_latent_dim, model_dim]            (q_a_proj)
  WeightMatrix query_down_norm;                // [1, query_latent_dim]                    (q_a_layernorm)
  WeightMatrix query_up;                       // [heads * key_head_dim, query_latent_dim] (q_b_proj)
  WeightMatrix latent_down, latent_down_bias;  // [latent_dim + rope_dim, model_dim]     (kv_a_proj_with_mqa)
  WeightMatrix latent_norm;                    // [1, latent_dim]                        (kv_a_layernorm)
  WeightMatrix latent_up;                      // [heads * (nope_dim + value_head_dim), latent_dim]          (kv_b_proj)
                           // per head: nope_dim rows for the key, then value_head_dim rows for the value

  WeightMatrix output, output_bias;  // [model_dim, heads * value_head_dim]              (o_proj)
  WeightMatrix feed_forward_norm;    // [1, model_dim]                                   (post_attention_layernorm)
  WeightMatrix gate, gate_bias;      // [hidden_dim, model_dim]                          (gate_proj)
  WeightMatrix up, up_bias;          // [hidden_dim, model_dim]                          (up_proj)
  WeightMatrix down, down_bias;      // [model_dim, hidden_dim]                          (down_proj)
};

struct Weights {
  WeightMatrix embedding;  // [vocab, model_dim]
  std::vector<LayerWeights> layers;
  WeightMatrix final_norm;  // [1, model_dim]
  WeightMatrix head;        // [vocab, model_dim]; with tied embeddings the same bytes as `embedding`

  std::vector<std::shared_ptr<const void>> owners;  // mapped files and arenas: they live as long as the weights do
};

// A name for each tensor that a config asks for, with its shape: the one list that loading, checking, counting and
// random weights walk.
struct ExpectedTensor {
  std::string name;  // Hugging Face's name
  int64_t rows = 0;  // 1 for a vector
  int64_t cols = 0;
  bool vector = false;            // stored as [cols]
  WeightMatrix* place = nullptr;  // where it goes
};
// Every tensor of the config with its place in `weights`, whose layers are resized to fit (the head only when not
// tied).
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config, Weights& weights);

// Throws std::invalid_argument that names the tensor, both shapes and the dimension, when one does not fit.
void validate(const Weights& weights, const ModelConfig& config);

// Weights drawn from `seed` and each tensor's name: normal with spread 1/sqrt(cols) for matrices, around 1 for norms.
Weights random_weights(const ModelConfig& config, uint64_t seed, Dtype dtype = Dtype::f32);

// The same weights with every matrix stored as `dtype`, one of f32, f16 and bf16; norms and biases too. `done_with` is
// told each matrix that will not be read again, so that a mapped file's pages can go while new ones come.
Weights converted(const Weights& weights, const ModelConfig& config, Dtype dtype,
                  const std::function<void(const WeightMatrix&)>& done_with = nullptr);

}  // namespace kv
