#include "tests/support/compare.h"

#include <doctest/doctest.h>

using kv::cpu::Matrix;
using namespace kv::test;

TEST_SUITE_BEGIN("support");

TEST_CASE("the comparison helpers notice what they must") {
  Matrix<float> a(2, 3);
  a << 1, 2, 3, 4, 5, 6;
  Matrix<float> b = a;
  CHECK(same_bits(a, b));
  CHECK(worst_error(a, b) == 0);
  b(1, 2) = 6.5f;
  CHECK_FALSE(same_bits(a, b));
  CHECK(worst_error(a, b) == 0.5);
  CHECK(scale_of(b) == 6.5);
  b(0, 0) = std::nanf("");
  CHECK_FALSE(worst_error(a, b) <= 1e9);
  CHECK_FALSE(worst_error(b, b) <= 1e9);
  CHECK(same_bits(b, b));
  CHECK_FALSE(worst_error(a, Matrix<float>(3, 2)) <= 1e9);
  Matrix<float> zero = Matrix<float>::Zero(1, 1), minus = -zero;
  CHECK_FALSE(same_bits(zero, minus));
}

TEST_SUITE_END();
