#include "model/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace kv;

TEST_SUITE("model") {
  TEST_CASE("the bits are SplitMix64's, as published") {
    Random zero(0);
    CHECK(zero.bits() == 0xe220a8397b1dcdafu);
    CHECK(zero.bits() == 0x6e789e6aa1b965f4u);
    CHECK(zero.bits() == 0x06c45d188009454fu);
    Random other(1234567);
    CHECK(other.bits() == 6457827717110365317u);
    CHECK(other.bits() == 3203168211198807973u);
    CHECK(other.bits() == 9817491932198370423u);
  }

  TEST_CASE("each name has a stream of its own, the same every time") {
    CHECK(Random(7, "query").bits() == Random(7, "query").bits());
    CHECK(Random(7, "query").bits() != Random(7, "key").bits());
    CHECK(Random(7, "query").bits() != Random(8, "query").bits());
    CHECK(Random(7, "ab").bits() != Random(7, "ba").bits());
  }

  TEST_CASE("uniform numbers lie in [0, 1), and a range is drawn whole and evenly") {
    Random random(3);
    std::vector<int> counts(7, 0);
    for (int i = 0; i < 70000; ++i) {
      const double uniform = random.uniform();
      REQUIRE((uniform >= 0 && uniform < 1));
      ++counts[static_cast<size_t>(random.below(7))];
    }
    for (const int count : counts) CHECK(std::abs(count - 10000) < 500);
  }

  TEST_CASE("normal numbers have mean 0 and spread 1") {
    Random random(4);
    double sum = 0, squares = 0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
      const double value = random.normal();
      sum += value;
      squares += value * value;
    }
    CHECK(std::abs(sum / kCount) < 0.02);
    CHECK(std::abs(squares / kCount - 1) < 0.02);
  }
}
