// g++ 12 takes a variable in its own AVX-512 header that is undefined on purpose for a mistake of ours (GCC bug 105593)
// where it does not inline all of a split into one function, as it does for attend; clang still looks.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <algorithm>
#include <vector>

#include "cpu_reference/attention.h"
#include "cpu_reference/split_attention.h"

namespace kv::cpu {

namespace {

// The weights of one row for the query heads of one KV head, [group, positions], over every split that it sees.
template <class Scalar, class Stored>
void weigh_row(SplitAttention<Scalar, Stored>& attention, const Scalar* query, const StoredRows& keys, int64_t kv_head,
               Range seen, Scalar scale, int64_t group, Scalar* result, int64_t positions) {
  const int64_t first_split = seen.first_split(), splits = seen.last_split() - first_split + 1;
  std::vector<Partial<Scalar>> partials(static_cast<size_t>(splits * group));  // [splits, group]
  for (int64_t s = 0; s < splits; ++s) {
    const Range range = seen.in_split(first_split + s);
    attention.weigh(query, keys, kv_head, range, scale, &partials[static_cast<size_t>(s * group)]);
    for (int64_t h = 0; h < group; ++h)
      std::copy_n(attention.weights(h, range), range.end - range.begin, result + h * positions + range.begin);
  }
  for (int64_t h = 0; h < group; ++h) {
    Scalar* row = result + h * positions;
    const Scalar weight =
        join_splits(&partials[static_cast<size_t>(h)], splits, group, [&](int64_t s, Scalar keep, Scalar take) {
          const Range range = seen.in_split(first_split + s);
          for (int64_t p = seen.begin; p < range.begin; ++p) row[p] *= keep;
          for (int64_t p = range.begin; p < range.end; ++p) row[p] *= take;
        });
    for (int64_t p = seen.begin; p < seen.end; ++p) row[p] /= weight;
  }
}

template <class Scalar, class Stored>
Matrix<Scalar> stored_weights(const Rows<Scalar>& queries, const StoredRows& keys, const AttentionShape& shape,
                              const Run& run) {
  const int64_t tokens = queries.rows, positions = shape.first_position + tokens;
  const int64_t kv_heads = keys.kv_heads, group = shape.heads / kv_heads;
  Matrix<Scalar> result = Matrix<Scalar>::Zero(tokens, shape.heads * positions);
  run.team.split(kv_heads * tokens, run.team.worthwhile(group * positions * keys.dim), [&](int64_t begin, int64_t end) {
    SplitAttention<Scalar, Stored> attention(group, keys.dim, 0);
    for (int64_t item = begin; item < end; ++item) {
      const int64_t kv_head = item / tokens, row = item % tokens;
      weigh_row(attention, queries.row(row) + kv_head * group * keys.dim, keys, kv_head, visible(shape, row),
                static_cast<Scalar>(shape.scale), group,
                result.data() + (row * shape.heads + kv_head * group) * positions, positions);
    }
  });
  return result;
}

}  // namespace

template <class Scalar>
Matrix<Scalar> attention_weights(Rows<Scalar> queries, const StoredRows& keys, const AttentionShape& shape,
                                 const Run& run) {
  expect_shape("queries", queries.shape(), {queries.rows, shape.heads * keys.dim});
  return with_stored_type(keys.dtype, [&]<class Stored>(const Stored*) {
    return stored_weights<Scalar, Stored>(queries, keys, shape, run);
  });
}

template Matrix<float> attention_weights(Rows<float>, const StoredRows&, const AttentionShape&, const Run&);
template Matrix<double> attention_weights(Rows<double>, const StoredRows&, const AttentionShape&, const Run&);

}  // namespace kv::cpu
