// The pass without a cache: every token's keys and values are computed anew. It shares operations with transformer.cpp
// and no bookkeeping: no cache, no slots, no past. Keys and values live in blocks of their own for the length of one
// layer.
#include "cpu_reference/attention.h"
#include "cpu_reference/embedding.h"
#include "cpu_reference/layer.h"
#include "cpu_reference/rms_norm.h"
#include "cpu_reference/transformer.h"

namespace kv::cpu {

namespace {

// The rows a latent layer would store: the latent, then the rope key.
template <class Scalar>
Matrix<Scalar> side_by_side(const Matrix<Scalar>& left, const Matrix<Scalar>& right) {
  Matrix<Scalar> both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return both;
}

template <class Scalar>
Matrix<Scalar> layer_without_cache(const Matrix<Scalar>& x, int64_t index, const Model& model, Dtype cache_dtype,
                                   const RopeTable<Scalar>& table, LatentForm form, const Run& run) {
  const ModelConfig& config = model.config;
  const LayerWeights& weights = model.weights.layers[static_cast<size_t>(index)];

  const Matrix<Scalar> normed = rms_norm<Scalar>(x, weights.attention_norm, config.norm_eps, run);
  run.record("attention_norm", normed);

  Matrix<Scalar> attended;  // [tokens, heads * value_head_dim]
  if (config.has_latent_attention()) {
    const LatentProjection<Scalar> made = project_latent<Scalar>(normed, weights, config, table, run);
    const StoredBlock latents(Rows<Scalar>(side_by_side(made.latents, made.rope_keys)), 1, cache_dtype);
    attended = attend_latent<Scalar>(form, made.queries, latents.view(), weights.latent_up, config, 0, run);
  } else {
    const LayerSizes sizes = config.sizes_of(index);
    const HeadProjection<Scalar> made = project_heads<Scalar>(normed, weights, config, table, run);
    const StoredBlock keys(Rows<Scalar>(made.keys), sizes.kv_heads, cache_dtype);
    const StoredBlock values(Rows<Scalar>(made.values), sizes.kv_heads, cache_dtype);
    const int64_t window = config.layer_cache[static_cast<size_t>(index)].window;
    attended = attend<Scalar>(made.queries, keys.view(), values.view(),
                              {sizes.heads, config.attention_scale(), window, 0}, run);
  }
  const Matrix<Scalar> after_attention = add_attention(x, attended, weights, run);
  return add_feed_forward(after_attention, weights, config, run);
}

}  // namespace

template <class Scalar>
Matrix<Scalar> forward_without_cache(const Model& model, std::span<const int32_t> tokens, Dtype cache_dtype,
                                     LatentForm form, LogitRows rows, const Run& run) {
  require_tokens(tokens, 0, model.config);
  if (run.trace != nullptr) run.trace->begin_call(0, std::ssize(tokens), model.config.layers);
  const Run ends = run.at_ends();
  const RopeTable<Scalar> table = rope_table<Scalar>(model.config.rope, 0, std::ssize(tokens));
  Matrix<Scalar> x = embed<Scalar>(tokens, model.weights.embedding, ends);
  ends.record("embedding", x);
  for (int64_t layer = 0; layer < model.config.layers; ++layer)
    x = layer_without_cache(x, layer, model, cache_dtype, table, form, run.in_layer(layer));
  return logits_of(x, model, rows, ends);
}

template Matrix<float> forward_without_cache(const Model&, std::span<const int32_t>, Dtype, LatentForm, LogitRows,
                                             const Run&);
template Matrix<double> forward_without_cache(const Model&, std::span<const int32_t>, Dtype, LatentForm, LogitRows,
                                              const Run&);

}  // namespace kv::cpu
