#include "cpu_reference/transformer.h"

#include <algorithm>

#include "cpu_reference/attention.h"
#include "cpu_reference/embedding.h"
#include "cpu_reference/layer.h"
#include "cpu_reference/rms_norm.h"

namespace kv::cpu {

namespace {

// New tokens' rows x [tokens, model_dim] through one layer; their keys and values are appended to the cache.
template <class Scalar>
Matrix<Scalar> layer_with_cache(const Matrix<Scalar>& x, int64_t index, const Model& model, KvCache& cache,
                                const RopeTable<Scalar>& table, LatentForm form, const Run& run) {
  const ModelConfig& config = model.config;
  const LayerWeights& weights = model.weights.layers[static_cast<size_t>(index)];
  const int64_t past = cache.length();  // positions that are stored already; the new tokens come after them

  // Normalise.
  const Matrix<Scalar> normed = rms_norm<Scalar>(x, weights.attention_norm, config.norm_eps, run);
  run.record("attention_norm", normed);

  Matrix<Scalar> attended;  // [tokens, heads * value_head_dim]
  if (config.has_latent_attention()) {
    // Project to queries, latents and rope keys, and rotate.
    const LatentProjection<Scalar> made = project_latent<Scalar>(normed, weights, config, table, run);
    // Append to the cache.
    cache.append_latent<Scalar>(index, made.latents, made.rope_keys, run);
    // Attend.
    attended = attend_latent<Scalar>(form, made.queries, cache.latents(index), weights.latent_up, config, past, run);
  } else {
    // Project to queries, keys and values, and rotate.
    const HeadProjection<Scalar> made = project_heads<Scalar>(normed, weights, config, table, run);
    // Append to the cache.
    cache.append<Scalar>(index, made.keys, made.values, run);
    // Attend.
    const int64_t window = config.layer_cache[static_cast<size_t>(index)].window;
    attended = attend<Scalar>(made.queries, cache.keys(index), cache.values(index),
                              {config.sizes_of(index).heads, config.attention_scale(), window, past}, run);
  }

  // Project the output and add.
  const Matrix<Scalar> after_attention = add_attention(x, attended, weights, run);

  // Feed forward and add.
  return add_feed_forward(after_attention, weights, config, run);
}

// One call: at most cache.largest_call() tokens.
template <class Scalar>
Matrix<Scalar> call_with_cache(const Model& model, std::span<const int32_t> tokens, KvCache& cache, LatentForm form,
                               LogitRows rows, const Run& run) {
  const int64_t past = cache.length(), count = std::ssize(tokens);
  if (run.trace != nullptr) run.trace->begin_call(past, count, model.config.layers);
  const Run ends = run.at_ends();
  const RopeTable<Scalar> table = rope_table<Scalar>(model.config.rope, past, count);
  Matrix<Scalar> x = embed<Scalar>(tokens, model.weights.embedding, ends);
  ends.record("embedding", x);
  for (int64_t layer = 0; layer < model.config.layers; ++layer)
    x = layer_with_cache(x, layer, model, cache, table, form, run.in_layer(layer));
  cache.advance(count);
  return logits_of(x, model, rows, ends);
}

}  // namespace

template <class Scalar>
Matrix<Scalar> prefill(const Model& model, std::span<const int32_t> tokens, KvCache& cache, LatentForm form,
                       LogitRows rows, const Run& run) {
  require_tokens(tokens, cache.length(), model.config);
  cache.require_room(std::ssize(tokens));
  const auto piece = static_cast<size_t>(cache.largest_call());
  if (tokens.size() <= piece) return call_with_cache<Scalar>(model, tokens, cache, form, rows, run);

  Matrix<Scalar> logits(rows == LogitRows::all ? std::ssize(tokens) : 0, model.config.vocab);
  for (size_t done = 0; done < tokens.size(); done += piece) {
    const auto part = tokens.subspan(done, std::min(piece, tokens.size() - done));
    const bool is_last = done + part.size() == tokens.size();
    const LogitRows wanted = rows == LogitRows::last && !is_last ? LogitRows::none : rows;
    const Matrix<Scalar> some = call_with_cache<Scalar>(model, part, cache, form, wanted, run);
    if (rows == LogitRows::all) {
      logits.middleRows(static_cast<int64_t>(done), some.rows()) = some;
    } else {
      logits = some;
    }
  }
  return logits;
}

template <class Scalar>
Matrix<Scalar> decode_step(const Model& model, int32_t token, KvCache& cache, LatentForm form, const Run& run) {
  return prefill<Scalar>(model, {&token, 1}, cache, form, LogitRows::last, run);
}

template Matrix<float> prefill(const Model&, std::span<const int32_t>, KvCache&, LatentForm, LogitRows, const Run&);
template Matrix<double> prefill(const Model&, std::span<const int32_t>, KvCache&, LatentForm, LogitRows, const Run&);
template Matrix<float> decode_step(const Model&, int32_t, KvCache&, LatentForm, const Run&);
template Matrix<double> decode_step(const Model&, int32_t, KvCache&, LatentForm, const Run&);

}  // namespace kv::cpu
