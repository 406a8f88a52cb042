#include "cpu_reference/linear.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "cpu_reference/lanes.h"
#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

const Dtype kStored[] = {Dtype::f32, Dtype::bf16, Dtype::f16};

// The same sum in the order of the definition, in double, from the rounded weights.
Matrix<double> by_definition(const Matrix<float>& x, const WeightMatrix& w) {
  Matrix<double> y = Matrix<double>::Zero(x.rows(), w.rows);
  with_stored_type(w.dtype, [&]<class Stored>(const Stored*) {
    for (int64_t t = 0; t < x.rows(); ++t)
      for (int64_t o = 0; o < w.rows; ++o)
        for (int64_t i = 0; i < w.cols; ++i)
          y(t, o) +=
              static_cast<double>(x(t, i)) * static_cast<double>(widen(reinterpret_cast<const Stored*>(w.row(o))[i]));
  });
  return y;
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("a row of the product has the same bits alone and beside any others, with one thread and with two") {
  Team one(1), two(2, 1);
  for (const Dtype dtype : kStored)
    for (const int64_t in : {1, 15, 16, 17, 24, 37, 100, 256})
      for (const int64_t out : {1, 3, 4, 5, 9, 70}) {
        const OwnedWeight w(random_matrix(out, in, "w"), dtype);
        const Matrix<float> x = random_matrix(15, in, "x");
        const Matrix<float> all = linear<float>(x, w.view, Run{one});
        CHECK(same_bits(all, linear<float>(x, w.view, Run{two})));
        for (const int64_t tokens : {1, 2, 5, 6, 7, 13}) {
          const Matrix<float> some = x.middleRows(2, tokens);
          CHECK(same_bits<float>(linear<float>(some, w.view, Run{two}), all.middleRows(2, tokens)));
        }
      }
}

TEST_CASE("the product is the sum that defines it, within rounding") {
  Team team(1);
  for (const Dtype dtype : kStored)
    for (const int64_t in : {1, 15, 16, 17, 37, 100, 300}) {
      const OwnedWeight w(random_matrix(9, in, "w"), dtype);
      const Matrix<float> x = random_matrix(7, in, "x");
      const Matrix<double> exact = by_definition(x, w.view);
      CHECK(worst_error(linear<float>(x, w.view, Run{team}), exact) <= 1e-6 * static_cast<double>(in));
      const Matrix<double> wide = x.cast<double>();
      CHECK(worst_error(linear<double>(wide, w.view, Run{team}), exact) <= 1e-14 * static_cast<double>(in));
    }
}

TEST_CASE("weights in blocks give the bits of the same weights widened to f32, whatever stands beside a row") {
  Team one(1), two(2, 1);
  for (const DtypeFacts& facts : kDtypes) {
    if (!is_block_type(facts.dtype)) continue;
    CAPTURE(facts.name);
    for (const int64_t blocks : {1, 2, 3})
      for (const int64_t out : {1, 3, 4, 5, 64, 70, 131}) {
        const OwnedWeight w = OwnedWeight::blocks(out, blocks * facts.block_values, facts.dtype);
        const OwnedWeight wide = widened(w.view);
        const Matrix<float> x = random_matrix(15, w.view.cols, "x");
        const Matrix<float> expected = linear<float>(x, wide.view, Run{one});
        REQUIRE(std::isfinite(expected.norm()));
        CHECK(expected.norm() > 0);
        for (const int64_t tokens : {1, 2, 5, 6, 7, 13})
          for (Team* team : {&one, &two}) {
            const Matrix<float> some = x.middleRows(2, tokens);
            CHECK(same_bits<float>(linear<float>(some, w.view, Run{*team}), expected.middleRows(2, tokens)));
          }
        const Matrix<double> precise = x.cast<double>();
        CHECK(same_bits(linear<double>(precise, w.view, Run{two}), linear<double>(precise, wide.view, Run{one})));
      }
  }
}

TEST_CASE("the transposed product of weights in blocks gives the bits of the widened ones") {
  Team team(1);
  for (const DtypeFacts& facts : kDtypes) {
    if (!is_block_type(facts.dtype)) continue;
    const OwnedWeight w = OwnedWeight::blocks(9, 2 * facts.block_values, facts.dtype);
    const OwnedWeight wide = widened(w.view);
    const Matrix<float> x = random_matrix(5, 9, "x");
    Matrix<float> made(5, w.view.cols), expected(5, w.view.cols);
    linear_transposed_into<float>(made, x, w.view, Run{team});
    linear_transposed_into<float>(expected, x, wide.view, Run{team});
    CHECK(same_bits(made, expected));
  }
}

TEST_CASE("a hand-made product: rows of W are outputs, and the bias is added once") {
  Team team(1);
  Matrix<float> w(2, 3), b(1, 2), x(1, 3), expected(1, 2);
  w << 1, 2, 3, 4, 5, 6;
  b << 100, 200;
  x << 1, 0, -1;
  expected << 98, 198;
  const OwnedWeight weight(w, Dtype::f32), bias(b, Dtype::bf16);
  CHECK(same_bits(linear<float>(x, weight.view, bias.view, Run{team}), expected));
}

TEST_CASE("columns of a wider matrix are read and written in place") {
  Team team(1);
  const OwnedWeight w(random_matrix(5, 18, "w"), Dtype::f32);
  const Matrix<float> wide = random_matrix(4, 40, "x");
  const Matrix<float> part = wide.middleCols(11, 18);
  const Matrix<float> expected = linear<float>(part, w.view, Run{team});
  Matrix<float> out = Matrix<float>::Constant(4, 9, -7.0f);
  linear_into<float>(MutableRows<float>(out).columns(2, 5), Rows<float>(wide).columns(11, 18), w.view, Run{team});
  CHECK(same_bits<float>(out.middleCols(2, 5), expected));
  CHECK((out.leftCols(2).array() == -7.0f).all());
  CHECK((out.rightCols(2).array() == -7.0f).all());
}

TEST_CASE("the transposed product is W^T x, and its rows do not know their neighbours") {
  Team team(1);
  for (const Dtype dtype : kStored)
    for (const int64_t in : {1, 15, 16, 17, 37}) {
      const OwnedWeight w(random_matrix(21, in, "w"), dtype);
      const Matrix<float> x = random_matrix(6, 21, "x");
      Matrix<float> all(6, in), last(1, in);
      linear_transposed_into<float>(all, x, w.view, Run{team});
      linear_transposed_into<float>(last, Rows<float>(x).last(1), w.view, Run{team});
      CHECK(same_bits<float>(last, all.bottomRows(1)));
      const OwnedWeight back(read_rows<float>({w.view.data, dtype, 1, in, 21, 0, in, false}, 0, 0, 21).transpose(),
                             Dtype::f32);
      CHECK(worst_error(all, by_definition(x, back.view)) <= 5e-6);
    }
}

TEST_CASE("what does not fit is refused by name") {
  Team team(1);
  const OwnedWeight w(random_matrix(4, 6, "w"), Dtype::f32, "layers.3.gate");
  CHECK_THROWS_WITH_AS(linear<float>(random_matrix(2, 5, "x"), w.view, Run{team}),
                       "layers.3.gate: expected [4, 5], got [4, 6]: dimension 1 is 6 instead of 5",
                       std::invalid_argument);
}

TEST_CASE("no tokens give no rows") {
  Team team(2, 1);
  const OwnedWeight w(random_matrix(4, 6, "w"), Dtype::f32);
  CHECK(linear<float>(Matrix<float>(0, 6), w.view, Run{team}).rows() == 0);
}

TEST_CASE("the product counts its multiply-adds and the stored bytes of its weights, once a call") {
  Team team(2, 1);
  const OwnedWeight w(random_matrix(9, 37, "w"), Dtype::bf16);
  for (const int64_t tokens : {1, 5}) {
    Counters counters;
    Run run{team};
    run.counters = &counters;
    linear<float>(random_matrix(tokens, 37, "x"), w.view, run);
    CHECK(counters.matmul_flops == static_cast<uint64_t>(2 * tokens * 9 * 37));
    CHECK(counters.weight_bytes == 9 * 37 * 2);
  }
}

TEST_CASE("weights in blocks count the bytes of their blocks, not of the numbers they stand for") {
  Team team(2, 1);
  const OwnedWeight w = OwnedWeight::blocks(9, 64, Dtype::q4_1);
  Counters counters;
  Run run{team};
  run.counters = &counters;
  linear<float>(random_matrix(3, 64, "x"), w.view, run);
  CHECK(counters.weight_bytes == 9 * 2 * 20);
}

TEST_SUITE_END();
