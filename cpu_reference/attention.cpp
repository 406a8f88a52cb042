#include "cpu_reference/attention.h"

#include <algorithm>
#include <vector>

#include "cpu_reference/split_attention.h"

namespace kv::cpu {

namespace {

constexpr int64_t kRowsAtOnce = 32;  // query rows whose partial results are held at once

// Joins the outputs of the splits, and divides by the whole weight.
template <class Scalar>
void merge(const Partial<Scalar>* partials, int64_t splits, int64_t stride, Scalar* output, int64_t value_dim) {
  std::fill_n(output, value_dim, Scalar(0));
  const Scalar weight = join_splits(partials, splits, stride, [&](int64_t s, Scalar keep, Scalar take) {
    const Scalar* split = partials[s * stride].output;
    for (int64_t d = 0; d < value_dim; ++d) output[d] = output[d] * keep + split[d] * take;
  });
  for (int64_t d = 0; d < value_dim; ++d) output[d] /= weight;
}

template <class Scalar, class Stored>
Matrix<Scalar> attend_stored(const Rows<Scalar>& queries, const StoredRows& keys, const StoredRows& values,
                             const AttentionShape& shape, const Run& run) {
  const int64_t tokens = queries.rows, heads = shape.heads, kv_heads = keys.kv_heads, group = heads / kv_heads;
  const int64_t padded_value_dim = padded_to_lanes(values.dim, kLanes<Scalar>);
  const auto scale = static_cast<Scalar>(shape.scale);
  Matrix<Scalar> result(tokens, heads * values.dim);
  std::vector<Partial<Scalar>> partials;  // [rows, splits, heads]
  std::vector<Scalar> outputs;

  for (int64_t first = 0; first < tokens; first += kRowsAtOnce) {
    const int64_t rows = std::min(kRowsAtOnce, tokens - first);
    const int64_t first_split = visible(shape, first).first_split();
    const int64_t splits = visible(shape, first + rows - 1).last_split() - first_split + 1;
    partials.resize(static_cast<size_t>(rows * splits * heads));
    outputs.resize(partials.size() * static_cast<size_t>(padded_value_dim));
    for (size_t i = 0; i < partials.size(); ++i)
      partials[i].output = outputs.data() + i * static_cast<size_t>(padded_value_dim);

    // Scores, softmax and weighted sum of every (KV head, row, split), each from zero.
    const int64_t positions = std::min(kSplit, visible(shape, first + rows - 1).end);
    const int64_t cost = group * positions * (keys.dim + values.dim);
    run.team.split(kv_heads * rows * splits, run.team.worthwhile(cost), [&](int64_t begin, int64_t end) {
      SplitAttention<Scalar, Stored> attention(group, keys.dim, values.dim);
      int64_t pairs = 0, dots = 0;
      for (int64_t item = begin; item < end; ++item) {
        const int64_t kv_head = item / (rows * splits), row = item / splits % rows, split = item % splits;
        const Range seen = visible(shape, first + row);
        const Range range = seen.in_split(first_split + split);
        if (range.begin >= range.end) continue;
        attention.compute(queries.row(first + row) + kv_head * group * keys.dim, keys, values, kv_head, range, scale,
                          &partials[static_cast<size_t>((row * splits + split) * heads + kv_head * group)]);
        dots += group * (range.end - range.begin);
        if (kv_head == 0) pairs += range.end - range.begin;
      }
      run.count(&Counters::score_pairs, pairs);
      run.count(&Counters::matmul_flops, 2 * dots * (keys.dim + values.dim));
      run.count(&Counters::other_flops, dots * static_cast<int64_t>(kSoftmaxFlopsPerScore));
    });

    run.team.split(rows * heads, run.team.worthwhile(splits * values.dim), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t row = item / heads, head = item % heads;
        const Range seen = visible(shape, first + row);
        const int64_t skipped = seen.first_split() - first_split;
        merge(&partials[static_cast<size_t>((row * splits + skipped) * heads + head)],
              seen.last_split() - seen.first_split() + 1, heads,
              result.data() + (first + row) * heads * values.dim + head * values.dim, values.dim);
      }
    });
  }
  return result;
}

}  // namespace

template <class Scalar>
Matrix<Scalar> attend(Rows<Scalar> queries, const StoredRows& keys, const StoredRows& values,
                      const AttentionShape& shape, const Run& run) {
  expect_shape("queries", queries.shape(), {queries.rows, shape.heads * keys.dim});
  expect_shape("values", {values.kv_heads}, {keys.kv_heads});
  if (queries.rows == 0) return Matrix<Scalar>(0, shape.heads * values.dim);
  if (run.keeps("attention_weights"))
    run.record("attention_weights", attention_weights(queries, keys, shape, run),
               {queries.rows, shape.heads, shape.first_position + queries.rows});
  if (keys.cached) {
    // Every position between the first row's first and the last row's last is read by some row. Absorbed latent
    // attention reads its values out of the key rows.
    const int64_t positions = visible(shape, queries.rows - 1).end - visible(shape, 0).begin;
    const int64_t row_bytes = keys.row_bytes() + (values.data == keys.data ? 0 : values.row_bytes());
    run.count(&Counters::cache_bytes_read, positions * keys.kv_heads * row_bytes);
  }
  return with_stored_type(keys.dtype, [&]<class Stored>(const Stored*) {
    return attend_stored<Scalar, Stored>(queries, keys, values, shape, run);
  });
}

template Matrix<float> attend(Rows<float>, const StoredRows&, const StoredRows&, const AttentionShape&, const Run&);
template Matrix<double> attend(Rows<double>, const StoredRows&, const StoredRows&, const AttentionShape&, const Run&);

}  // namespace kv::cpu
