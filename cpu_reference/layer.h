// The steps of a layer that do not care where keys and values are kept, and the two ends of the model.
#pragma once

#include <cstdint>
#include <span>

#include "cpu_reference/rope.h"
#include "cpu_reference/transformer.h"

namespace kv::cpu {

// Queries, keys and values of a layer with one K and V per KV head, rotated, before storage.
template <class Scalar>
struct HeadProjection {
  Matrix<Scalar> queries;  // [tokens, heads * key_head_dim]
  Matrix<Scalar> keys;     // [tokens, kv_heads * key_head_dim]
  Matrix<Scalar> values;   // [tokens, kv_heads * value_head_dim]
};
template <class Scalar>
HeadProjection<Scalar> project_heads(Rows<Scalar> x, const LayerWeights& weights, const ModelConfig& config,
                                     const RopeTable<Scalar>& table, const Run& run);

// x + output projection of what the heads attended to.
template <class Scalar>
Matrix<Scalar> add_attention(const Matrix<Scalar>& x, const Matrix<Scalar>& attended, const LayerWeights& weights,
                             const Run& run);

// x + feed_forward(norm(x))
template <class Scalar>
Matrix<Scalar> add_feed_forward(const Matrix<Scalar>& x, const LayerWeights& weights, const ModelConfig& config,
                                const Run& run);

// The head: [tokens, model_dim] -> logits [rows, vocab].
template <class Scalar>
Matrix<Scalar> logits_of(const Matrix<Scalar>& x, const Model& model, LogitRows rows, const Run& run);

// Throws std::invalid_argument unless these tokens can follow `first_position` others.
void require_tokens(std::span<const int32_t> tokens, int64_t first_position, const ModelConfig& config);

}  // namespace kv::cpu
