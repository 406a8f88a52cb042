#include "cpu_reference/layer.h"

#include <fmt/format.h>

#include <stdexcept>

#include "cpu_reference/feed_forward.h"
#include "cpu_reference/linear.h"
#include "cpu_reference/rms_norm.h"

namespace kv::cpu {

template <class Scalar>
HeadProjection<Scalar> project_heads(Rows<Scalar> x, const LayerWeights& weights, const ModelConfig& config,
                                     const RopeTable<Scalar>& table, const Run& run) {
  HeadProjection<Scalar> made;
  made.queries = linear(x, weights.query, weights.query_bias, run);
  made.keys = linear(x, weights.key, weights.key_bias, run);
  made.values = linear(x, weights.value, weights.value_bias, run);
  if (config.query_key_norm) {
    made.queries = rms_norm_heads(made.queries, weights.query_norm, config.norm_eps, run);
    made.keys = rms_norm_heads(made.keys, weights.key_norm, config.norm_eps, run);
  }
  rotate<Scalar>(made.queries, config.key_head_dim, 0, table, config.rope.pairing, run);
  rotate<Scalar>(made.keys, config.key_head_dim, 0, table, config.rope.pairing, run);
  run.count(&Counters::kv_projections, x.rows);
  const int64_t kv_heads = made.keys.cols() / config.key_head_dim;
  run.record("queries", made.queries, {x.rows, made.queries.cols() / config.key_head_dim, config.key_head_dim});
  run.record("keys", made.keys, {x.rows, kv_heads, config.key_head_dim});
  run.record("values", made.values, {x.rows, kv_heads, config.value_head_dim});
  return made;
}

namespace {

template <class Scalar>
Matrix<Scalar> residual(const Matrix<Scalar>& x, const Matrix<Scalar>& change, const Run& run) {
  run.count(&Counters::other_flops, x.size());
  return x + change;
}

}  // namespace

template <class Scalar>
Matrix<Scalar> add_attention(const Matrix<Scalar>& x, const Matrix<Scalar>& attended, const LayerWeights& weights,
                             const Run& run) {
  run.record("attended", attended);
  const Matrix<Scalar> projected = linear<Scalar>(attended, weights.output, weights.output_bias, run);
  run.record("attention", projected);
  return residual(x, projected, run);
}

template <class Scalar>
Matrix<Scalar> add_feed_forward(const Matrix<Scalar>& x, const LayerWeights& weights, const ModelConfig& config,
                                const Run& run) {
  const Matrix<Scalar> normed = rms_norm<Scalar>(x, weights.feed_forward_norm, config.norm_eps, run);
  const Matrix<Scalar> forward = feed_forward<Scalar>(normed, weights, run);
  run.record("feed_forward", forward);
  const Matrix<Scalar> output = residual(x, forward, run);
  run.record("output", output);
  return output;
}

template <class Scalar>
Matrix<Scalar> logits_of(const Matrix<Scalar>& x, const Model& model, LogitRows rows, const Run& run) {
  if (rows == LogitRows::none) return Matrix<Scalar>(0, model.config.vocab);
  const Rows<Scalar> all(x);
  const Matrix<Scalar> normed =
      rms_norm(rows == LogitRows::last ? all.last(1) : all, model.weights.final_norm, model.config.norm_eps, run);
  run.record("final_norm", normed);
  Matrix<Scalar> logits = linear<Scalar>(normed, model.weights.head, run);
  run.record("logits", logits);
  return logits;
}

void require_tokens(std::span<const int32_t> tokens, int64_t first_position, const ModelConfig& config) {
  if (tokens.empty()) throw std::invalid_argument("there are no tokens to process");
  for (const int32_t token : tokens)
    if (token < 0 || token >= config.vocab)
      throw std::invalid_argument(
          fmt::format("token id {} is outside the embedding, which has ids 0 to {}", token, config.vocab - 1));
  if (first_position == 0 && std::ssize(tokens) > config.max_context)
    throw std::invalid_argument(
        fmt::format("{} tokens exceed the model's context of {}", tokens.size(), config.max_context));
  if (first_position + std::ssize(tokens) > config.max_context)
    throw std::invalid_argument(fmt::format("{} tokens after the first {} exceed the model's context of {}",
                                            tokens.size(), first_position, config.max_context));
}

#define KVLAB_INSTANTIATE(Scalar)                                                                          \
  template HeadProjection<Scalar> project_heads(Rows<Scalar>, const LayerWeights&, const ModelConfig&,     \
                                                const RopeTable<Scalar>&, const Run&);                     \
  template Matrix<Scalar> add_attention(const Matrix<Scalar>&, const Matrix<Scalar>&, const LayerWeights&, \
                                        const Run&);                                                       \
  template Matrix<Scalar> add_feed_forward(const Matrix<Scalar>&, const LayerWeights&, const ModelConfig&, \
                                           const Run&);                                                    \
  template Matrix<Scalar> logits_of(const Matrix<Scalar>&, const Model&, LogitRows, const Run&);
KVLAB_INSTANTIATE(float)
KVLAB_INSTANTIATE(double)
#undef KVLAB_INSTANTIATE

}  // namespace kv::cpu
