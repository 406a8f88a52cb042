#include "cpu_reference/attention.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

struct Case {
  int64_t heads, kv_heads, key_dim, value_dim, window;
};
// MHA, GQA with ratios 2, 3 and 7, MQA; dims odd, below, at and above a register; windows below and above a split.
const Case kCases[] = {{2, 2, 16, 16, 0},  {4, 2, 10, 7, 0},    {6, 2, 33, 64, 0}, {7, 1, 24, 100, 0},
                       {3, 3, 17, 15, 20}, {8, 1, 80, 64, 600}, {6, 2, 10, 10, 5}};

// softmax(scale q k) v by the book, in double.
Matrix<double> by_the_book(const Matrix<float>& queries, const StoredRows& keys, const StoredRows& values,
                           const AttentionShape& shape) {
  Matrix<double> result(queries.rows(), shape.heads * values.dim);
  for (int64_t head = 0; head < shape.heads; ++head) {
    const int64_t kv_head = head / (shape.heads / keys.kv_heads);
    for (int64_t t = 0; t < queries.rows(); ++t) {
      const int64_t position = shape.first_position + t;
      const int64_t begin = shape.window > 0 ? std::max<int64_t>(0, position - shape.window + 1) : 0;
      const Matrix<double> k = read_rows<double>(keys, kv_head, begin, position + 1);
      const Matrix<double> v = read_rows<double>(values, kv_head, begin, position + 1);
      const Matrix<double> q = queries.row(t).middleCols(head * keys.dim, keys.dim).cast<double>();
      Matrix<double> weights = shape.scale * (q * k.transpose());
      weights = (weights.array() - weights.maxCoeff()).exp();
      result.row(t).middleCols(head * values.dim, values.dim) = weights * v / weights.sum();
    }
  }
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("attention is softmax(scale q k) v, at lengths around a block and a split, for every sharing of KV heads") {
  Team team(2, 1);
  for (const Case& c : kCases)
    for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16})
      for (const int64_t context : {1, 2, 15, 16, 17, 511, 512, 513, 1100}) {
        const StoredBlock keys(Rows<float>(random_matrix(context, c.kv_heads * c.key_dim, "k")), c.kv_heads, dtype);
        const StoredBlock values(Rows<float>(random_matrix(context, c.kv_heads * c.value_dim, "v")), c.kv_heads, dtype);
        const int64_t tokens = std::min<int64_t>(context, 3);
        const Matrix<float> queries = random_matrix(tokens, c.heads * c.key_dim, "q");
        const AttentionShape shape{c.heads, 0.7, c.window, context - tokens};
        const Matrix<float> got = attend<float>(queries, keys.view(), values.view(), shape, Run{team});
        CHECK(worst_error(got, by_the_book(queries, keys.view(), values.view(), shape)) <= 5e-6);
        const Matrix<double> wide =
            attend<double>(queries.cast<double>().eval(), keys.view(), values.view(), shape, Run{team});
        CHECK(worst_error(wide, by_the_book(queries, keys.view(), values.view(), shape)) <= 1e-13);
      }
}

TEST_CASE("a row has the same bits alone and among all rows, with one thread and two, full and windowed") {
  Team one(1), two(2, 1);
  for (const Case& c : kCases) {
    const int64_t context = 1060;
    const StoredBlock keys(Rows<float>(random_matrix(context, c.kv_heads * c.key_dim, "k")), c.kv_heads, Dtype::bf16);
    const StoredBlock values(Rows<float>(random_matrix(context, c.kv_heads * c.value_dim, "v")), c.kv_heads,
                             Dtype::bf16);
    const Matrix<float> queries = random_matrix(context, c.heads * c.key_dim, "q");
    const Matrix<float> all = attend<float>(queries, keys.view(), values.view(), {c.heads, 0.7, c.window, 0}, Run{two});
    int differ = 0;
    for (int64_t t = 0; t < context; t += 7) {
      const Matrix<float> row = queries.row(t);
      differ += !same_bits<float>(
          attend<float>(row, keys.view(), values.view(), {c.heads, 0.7, c.window, t}, Run{t % 2 == 0 ? one : two}),
          all.row(t));
    }
    CHECK(differ == 0);
  }
}

TEST_CASE("a ring gives the same bits as rows in order") {
  Team team(1);
  const int64_t context = 700, window = 40, dim = 10, slots = 61;
  const Matrix<float> k = random_matrix(context, dim, "k"), v = random_matrix(context, dim, "v");
  const StoredBlock keys(Rows<float>(k), 1, Dtype::f32), values(Rows<float>(v), 1, Dtype::f32);
  Matrix<float> ring_k(slots, dim), ring_v(slots, dim);
  for (int64_t p = context - slots; p < context; ++p) {
    ring_k.row(p % slots) = k.row(p);
    ring_v.row(p % slots) = v.row(p);
  }
  const auto ring = [&](const Matrix<float>& rows) {
    return StoredRows{reinterpret_cast<const std::byte*>(rows.data()), Dtype::f32, 1, dim, slots, 0, dim, false};
  };
  const Matrix<float> q = random_matrix(5, 3 * dim, "q");
  const AttentionShape shape{3, 0.5, window, context - 5};
  CHECK(same_bits(attend<float>(q, keys.view(), values.view(), shape, Run{team}),
                  attend<float>(q, ring(ring_k), ring(ring_v), shape, Run{team})));
}

TEST_CASE("with equal scores the output is the mean of the visible values, and heads stand side by side") {
  // Two tokens, two heads, head_dim 2: token 0 sees itself, token 1 the mean of both. Heads do not mix across tokens.
  Team team(1);
  Matrix<double> v(2, 4), expected(2, 4);
  v << 1, 2, 5, 6, 3, 4, 7, 8;
  expected << 1, 2, 5, 6, 2, 3, 6, 7;
  const StoredBlock keys(Rows<double>(Matrix<double>::Zero(2, 4)), 2, Dtype::f64),
      values(Rows<double>(v), 2, Dtype::f64);
  const Matrix<double> got =
      attend<double>(Matrix<double>::Ones(2, 4).eval(), keys.view(), values.view(), {2, 1.0, 0, 0}, Run{team});
  CHECK(worst_error(got, expected) <= 1e-15);
}

TEST_CASE("a row sees no later key: what stands there changes nothing, not even a NaN") {
  Team team(1);
  Matrix<float> k = random_matrix(40, 8, "k"), v = random_matrix(40, 8, "v");
  const Matrix<float> q = random_matrix(3, 8, "q");
  const AttentionShape shape{1, 1.0, 0, 20};
  const Matrix<float> before = attend<float>(q, StoredBlock(Rows<float>(k), 1, Dtype::f32).view(),
                                             StoredBlock(Rows<float>(v), 1, Dtype::f32).view(), shape, Run{team});
  k.bottomRows(17).setConstant(std::numeric_limits<float>::quiet_NaN());
  v.bottomRows(17).setConstant(std::numeric_limits<float>::quiet_NaN());
  const StoredBlock keys(Rows<float>(k), 1, Dtype::f32), values(Rows<float>(v), 1, Dtype::f32);
  CHECK(same_bits(before, attend<float>(q, keys.view(), values.view(), shape, Run{team})));
}

TEST_CASE("a NaN in a visible key, value or query stays visible") {
  Team team(1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int where : {0, 1, 2}) {
    Matrix<float> k = random_matrix(600, 8, "k"), v = random_matrix(600, 8, "v"), q = random_matrix(1, 8, "q");
    (where == 0 ? k : where == 1 ? v : q)(0, 3) = nan;
    const StoredBlock keys(Rows<float>(k), 1, Dtype::f32), values(Rows<float>(v), 1, Dtype::f32);
    CHECK(std::isnan(attend<float>(q, keys.view(), values.view(), {1, 1.0, 0, 599}, Run{team})(0, 3)));
  }
}

TEST_CASE("scores far apart neither overflow nor lose the winner") {
  Team team(1);
  Matrix<float> k = Matrix<float>::Zero(1200, 4), v = random_matrix(1200, 4, "v");
  k(700, 0) = 3000;
  const StoredBlock keys(Rows<float>(k), 1, Dtype::f32), values(Rows<float>(v), 1, Dtype::f32);
  Matrix<float> q = Matrix<float>::Zero(1, 4);
  q(0, 0) = 1;
  CHECK(same_bits<float>(attend<float>(q, keys.view(), values.view(), {1, 1.0, 0, 1199}, Run{team}), v.row(700)));
}

TEST_CASE("score pairs are counted: 10 tokens and then 4 more score 55 + 50 = 105 pairs") {
  Team team(2, 1);
  const StoredBlock keys(Rows<float>(random_matrix(14, 12, "k")), 2, Dtype::f32);
  const StoredBlock values(Rows<float>(random_matrix(14, 10, "v")), 2, Dtype::f32);
  Counters counters;
  Run run{team};
  run.counters = &counters;
  attend<float>(random_matrix(10, 24, "q"), keys.view(), values.view(), {4, 1.0, 0, 0}, run);
  CHECK(counters.score_pairs == 55);
  attend<float>(random_matrix(4, 24, "q"), keys.view(), values.view(), {4, 1.0, 0, 10}, run);
  CHECK(counters.score_pairs == 105);
  CHECK(counters.matmul_flops == 105 * 4 * 2 * (6 + 5));
  CHECK(counters.other_flops == 105 * 4 * kSoftmaxFlopsPerScore);
  CHECK(counters.cache_bytes_read == 0);
}

TEST_SUITE_END();
