#include "cpu_reference/rms_norm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("a hand-made norm: (3, 4) has root mean square 5 / sqrt(2)") {
  Team team(1);
  Matrix<double> x(1, 2);
  x << 3, 4;
  Matrix<float> gain(1, 2);
  gain << 1, 2;
  const OwnedWeight g(gain, Dtype::f32);
  const Matrix<double> y = rms_norm<double>(x, g.view, 0, Run{team});
  CHECK(y(0, 0) == doctest::Approx(3 * std::sqrt(2.0) / 5).epsilon(1e-14));
  CHECK(y(0, 1) == doctest::Approx(8 * std::sqrt(2.0) / 5).epsilon(1e-14));
}

TEST_CASE("eps is added to the mean of the squares") {
  Team team(1);
  const OwnedWeight g(Matrix<float>::Ones(1, 4), Dtype::f32);
  const Matrix<double> x = Matrix<double>::Constant(1, 4, 1e-3);
  CHECK(rms_norm<double>(x, g.view, 3e-6, Run{team})(0, 0) == doctest::Approx(0.5).epsilon(1e-12));
}

TEST_CASE("a normed row has the same bits alone and beside others") {
  Team one(1), two(2, 1);
  for (const int64_t dim : {1, 15, 16, 17, 37, 100}) {
    const OwnedWeight g(random_matrix(1, dim, "gain"), Dtype::bf16);
    const Matrix<float> x = random_matrix(13, dim, "x");
    const Matrix<float> all = rms_norm<float>(x, g.view, 1e-5, Run{two});
    for (int64_t t = 0; t < 13; ++t) {
      const Matrix<float> row = x.row(t);
      CHECK(same_bits<float>(rms_norm<float>(row, g.view, 1e-5, Run{one}), all.row(t)));
    }
  }
}

TEST_CASE("heads are normed each on its own") {
  Team team(1);
  const OwnedWeight g(random_matrix(1, 6, "gain"), Dtype::f32);
  const Matrix<float> x = random_matrix(3, 18, "x");
  const Matrix<float> y = rms_norm_heads(x, g.view, 1e-5, Run{team});
  REQUIRE(y.cols() == 18);
  for (int64_t head = 0; head < 3; ++head) {
    const Matrix<float> part = x.middleCols(head * 6, 6);
    CHECK(same_bits<float>(rms_norm<float>(part, g.view, 1e-5, Run{team}), y.middleCols(head * 6, 6)));
  }
}

TEST_SUITE_END();
