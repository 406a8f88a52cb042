#include "cpu_reference/latent_attention.h"

#include "cpu_reference/attention.h"
#include "cpu_reference/linear.h"
#include "cpu_reference/rms_norm.h"

namespace kv::cpu {

namespace {

template <class Scalar>
constexpr Dtype kDtypeOf = std::is_same_v<Scalar, float> ? Dtype::f32 : Dtype::f64;

// W x, or with a query latent W_up norm(W_down x).
template <class Scalar>
Matrix<Scalar> project_queries(Rows<Scalar> x, const LayerWeights& weights, const ModelConfig& config, const Run& run) {
  if (config.latent.query_latent_dim == 0) return linear(x, weights.query, run);
  const Matrix<Scalar> down = linear(x, weights.query_down, weights.query_down_bias, run);
  const Matrix<Scalar> normed = rms_norm<Scalar>(down, weights.query_down_norm, config.latent.norm_eps, run);
  return linear<Scalar>(normed, weights.query_up, run);
}

// U of a head, for its keys, and W, for its values: rows of latent_up.
WeightMatrix key_rows(const WeightMatrix& latent_up, const ModelConfig& config, int64_t head) {
  const int64_t nope = config.latent.nope_dim, value = config.value_head_dim;
  return latent_up.row_block(head * (nope + value), nope);
}
WeightMatrix value_rows(const WeightMatrix& latent_up, const ModelConfig& config, int64_t head) {
  const int64_t nope = config.latent.nope_dim, value = config.value_head_dim;
  return latent_up.row_block(head * (nope + value) + nope, value);
}

}  // namespace

template <class Scalar>
LatentProjection<Scalar> project_latent(Rows<Scalar> x, const LayerWeights& weights, const ModelConfig& config,
                                        const RopeTable<Scalar>& table, const Run& run) {
  const LatentConfig& latent = config.latent;
  LatentProjection<Scalar> made;
  made.queries = project_queries(x, weights, config, run);
  rotate<Scalar>(made.queries, config.key_head_dim, latent.nope_dim, table, config.rope.pairing, run);

  const Matrix<Scalar> down = linear(x, weights.latent_down, weights.latent_down_bias, run);  // [tokens, latent ; rope]
  const Rows<Scalar> halves(down);
  made.latents = rms_norm(halves.columns(0, latent.latent_dim), weights.latent_norm, latent.norm_eps, run);
  made.rope_keys = down.rightCols(latent.rope_dim);
  rotate<Scalar>(made.rope_keys, latent.rope_dim, 0, table, config.rope.pairing, run);
  run.count(&Counters::kv_projections, x.rows);

  run.record("queries", made.queries, {x.rows, config.heads, config.key_head_dim});
  run.record("latents", made.latents);
  run.record("rope_keys", made.rope_keys);
  return made;
}

template <class Scalar>
Matrix<Scalar> absorb(Rows<Scalar> queries, const WeightMatrix& latent_up, const ModelConfig& config, const Run& run) {
  const int64_t nope = config.latent.nope_dim, rope = config.latent.rope_dim, dim = config.latent.latent_dim;
  const int64_t tokens = queries.rows, heads = config.heads;
  expect_shape("queries", queries.shape(), {tokens, heads * (nope + rope)});
  Matrix<Scalar> absorbed(tokens, heads * (dim + rope));
  const MutableRows<Scalar> absorbed_rows(absorbed);
  run.team.split(heads, run.team.worthwhile(tokens * nope * dim), [&](int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head) {
      const Rows<Scalar> query = queries.columns(head * (nope + rope), nope + rope);
      const MutableRows<Scalar> to = absorbed_rows.columns(head * (dim + rope), dim + rope);
      linear_transposed_into(to.columns(0, dim), query.columns(0, nope), key_rows(latent_up, config, head), run);
      for (int64_t t = 0; t < tokens; ++t) std::copy_n(query.row(t) + nope, rope, to.row(t) + dim);
    }
  });
  return absorbed;
}

template <class Scalar>
Matrix<Scalar> attend_absorbed(Rows<Scalar> queries, const StoredRows& latents, const WeightMatrix& latent_up,
                               const ModelConfig& config, int64_t first_position, const Run& run) {
  const int64_t tokens = queries.rows, heads = config.heads;
  const int64_t dim = config.latent.latent_dim, value = config.value_head_dim;

  // Turn each query into the latent space.
  const Matrix<Scalar> absorbed = absorb(queries, latent_up, config, run);

  // Attend to the stored rows: all heads share one key, and its first latent_dim values are the value.
  StoredRows values = latents;
  values.dim = dim;
  const Matrix<Scalar> mixed =
      attend<Scalar>(absorbed, latents, values, {heads, config.attention_scale(), 0, first_position}, run);

  // Turn each mix of latents into the head's output: W mix.
  Matrix<Scalar> output(tokens, heads * value);
  const MutableRows<Scalar> output_rows(output);
  const Rows<Scalar> mixed_rows(mixed);
  run.team.split(heads, run.team.worthwhile(tokens * value * dim), [&](int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head)
      linear_into(output_rows.columns(head * value, value), mixed_rows.columns(head * dim, dim),
                  value_rows(latent_up, config, head), run);
  });
  return output;
}

template <class Scalar>
Matrix<Scalar> materialise_keys(Rows<Scalar> stored, const WeightMatrix& latent_up, const ModelConfig& config,
                                const Run& run) {
  const int64_t nope = config.latent.nope_dim, rope = config.latent.rope_dim, dim = config.latent.latent_dim;
  Matrix<Scalar> keys(stored.rows, config.heads * (nope + rope));
  const MutableRows<Scalar> all(keys);
  run.team.split(config.heads, run.team.worthwhile(stored.rows * nope * dim), [&](int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head) {
      const MutableRows<Scalar> key = all.columns(head * (nope + rope), nope + rope);
      linear_into(key.columns(0, nope), stored.columns(0, dim), key_rows(latent_up, config, head), run);
      for (int64_t t = 0; t < stored.rows; ++t) std::copy_n(stored.row(t) + dim, rope, key.row(t) + nope);
    }
  });
  return keys;
}

template <class Scalar>
Matrix<Scalar> materialise_values(Rows<Scalar> stored, const WeightMatrix& latent_up, const ModelConfig& config,
                                  const Run& run) {
  const int64_t dim = config.latent.latent_dim, value = config.value_head_dim;
  Matrix<Scalar> values(stored.rows, config.heads * value);
  const MutableRows<Scalar> all(values);
  run.team.split(config.heads, run.team.worthwhile(stored.rows * value * dim), [&](int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head)
      linear_into(all.columns(head * value, value), stored.columns(0, dim), value_rows(latent_up, config, head), run);
  });
  return values;
}

template <class Scalar>
Matrix<Scalar> attend_materialised(Rows<Scalar> queries, const StoredRows& latents, const WeightMatrix& latent_up,
                                   const ModelConfig& config, int64_t first_position, const Run& run) {
  const int64_t positions = first_position + queries.rows;
  if (latents.cached) run.count(&Counters::cache_bytes_read, positions * latents.row_bytes());
  const Matrix<Scalar> stored = read_rows<Scalar>(latents, 0, 0, positions);
  const Matrix<Scalar> rebuilt_keys = materialise_keys<Scalar>(stored, latent_up, config, run);
  const Matrix<Scalar> rebuilt_values = materialise_values<Scalar>(stored, latent_up, config, run);
  const StoredBlock keys(Rows<Scalar>(rebuilt_keys), config.heads, kDtypeOf<Scalar>);
  const StoredBlock values(Rows<Scalar>(rebuilt_values), config.heads, kDtypeOf<Scalar>);
  return attend(queries, keys.view(), values.view(), {config.heads, config.attention_scale(), 0, first_position}, run);
}

template <class Scalar>
Matrix<Scalar> attend_latent(LatentForm form, Rows<Scalar> queries, const StoredRows& latents,
                             const WeightMatrix& latent_up, const ModelConfig& config, int64_t first_position,
                             const Run& run) {
  return form == LatentForm::absorbed ? attend_absorbed(queries, latents, latent_up, config, first_position, run)
                                      : attend_materialised(queries, latents, latent_up, config, first_position, run);
}

template <class Scalar>
Matrix<Scalar> latent_attention_weights(LatentForm form, Rows<Scalar> queries, const StoredRows& latents,
                                        const WeightMatrix& latent_up, const ModelConfig& config,
                                        int64_t first_position, const Run& run) {
  const AttentionShape shape{config.heads, config.attention_scale(), 0, first_position};
  if (form == LatentForm::absorbed)
    return attention_weights<Scalar>(absorb(queries, latent_up, config, run), latents, shape, run);
  const Matrix<Scalar> stored = read_rows<Scalar>(latents, 0, 0, first_position + queries.rows);
  const Matrix<Scalar> rebuilt = materialise_keys<Scalar>(stored, latent_up, config, run);
  const StoredBlock keys(Rows<Scalar>(rebuilt), config.heads, kDtypeOf<Scalar>);
  return attention_weights(queries, keys.view(), shape, run);
}

#define KVLAB_INSTANTIATE(Scalar)                                                                                    \
  template Matrix<Scalar> absorb(Rows<Scalar>, const WeightMatrix&, const ModelConfig&, const Run&);                 \
  template Matrix<Scalar> latent_attention_weights(LatentForm, Rows<Scalar>, const StoredRows&, const WeightMatrix&, \
                                                   const ModelConfig&, int64_t, const Run&);                         \
  template LatentProjection<Scalar> project_latent(Rows<Scalar>, const LayerWeights&, const ModelConfig&,            \
                                                   const RopeTable<Scalar>&, const Run&);                            \
  template Matrix<Scalar> attend_absorbed(Rows<Scalar>, const StoredRows&, const WeightMatrix&, const ModelConfig&,  \
                                          int64_t, const Run&);                                                      \
  template Matrix<Scalar> attend_materialised(Rows<Scalar>, const StoredRows&, const WeightMatrix&,                  \
                                              const ModelConfig&, int64_t, const Run&);                              \
  template Matrix<Scalar> attend_latent(LatentForm, Rows<Scalar>, const StoredRows&, const WeightMatrix&,            \
                                        const ModelConfig&, int64_t, const Run&);                                    \
  template Matrix<Scalar> materialise_keys(Rows<Scalar>, const WeightMatrix&, const ModelConfig&, const Run&);       \
  template Matrix<Scalar> materialise_values(Rows<Scalar>, const WeightMatrix&, const ModelConfig&, const Run&);
KVLAB_INSTANTIATE(float)
KVLAB_INSTANTIATE(double)
#undef KVLAB_INSTANTIATE

}  // namespace kv::cpu
