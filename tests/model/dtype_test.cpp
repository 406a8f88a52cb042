#include "model/dtype.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace kv;

namespace {

// What 1 sign bit, `exponent_bits` of exponent and `fraction_bits` of fraction mean, from IEEE 754's own formula.
double meaning(uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = std::ldexp(static_cast<double>(bits & ((1u << fraction_bits) - 1u)), -fraction_bits);
  const double sign = (bits >> (exponent_bits + fraction_bits)) & 1u ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, exponent - bias));
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Between neighbours a and b of a 16-bit type, everything below the middle rounds to a, above it to b, and the middle
// to the even one. Midpoints need one bit more than the type, which an f32 has.
template <class Decode, class Encode>
int64_t wrong_roundings(uint16_t largest_finite, const Decode& decode, const Encode& encode) {
  int64_t wrong = 0;
  for (uint32_t low = 0; low < largest_finite; ++low) {
    const auto a = static_cast<uint16_t>(low), b = static_cast<uint16_t>(low + 1);
    const auto middle = static_cast<float>((static_cast<double>(decode(a)) + static_cast<double>(decode(b))) / 2);
    const uint16_t even = low % 2 == 0 ? a : b;
    wrong += encode(middle) != even || encode(-middle) != (even | 0x8000u);
    wrong += encode(std::nextafter(middle, 0.0f)) != a || encode(std::nextafter(middle, HUGE_VALF)) != b;
  }
  return wrong;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("all 65,536 bf16 and f16 patterns decode to what IEEE 754's formula says") {
    int64_t wrong = 0;
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      wrong += !same(from_bf16(static_cast<uint16_t>(bits)), meaning(bits, 8, 7));
      wrong += !same(from_f16(static_cast<uint16_t>(bits)), meaning(bits, 5, 10));
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("every pattern but NaN survives decoding and encoding unchanged, and NaN stays NaN") {
    int64_t wrong = 0;
    for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
      const auto bits = static_cast<uint16_t>(pattern);
      const float as_bf16 = from_bf16(bits), as_f16 = from_f16(bits);
      wrong += std::isnan(as_bf16) ? !std::isnan(from_bf16(to_bf16(as_bf16))) : to_bf16(as_bf16) != bits;
      wrong += std::isnan(as_f16) ? !std::isnan(from_f16(to_f16(as_f16))) : to_f16(as_f16) != bits;
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("encoding rounds to the nearest value, and ties to the even one") {
    CHECK(wrong_roundings(0x7f7f, from_bf16, to_bf16) == 0);
    CHECK(wrong_roundings(0x7bff, from_f16, to_f16) == 0);
  }

  TEST_CASE("too large becomes infinity, too small becomes zero, and the sign stays") {
    CHECK(to_f16(65504.0f) == 0x7bff);
    CHECK(to_f16(std::nextafter(65520.0f, 0.0f)) == 0x7bff);
    CHECK(to_f16(65520.0f) == 0x7c00);
    CHECK(to_f16(-1e30f) == 0xfc00);
    CHECK(to_f16(0x1p-25f) == 0x0000);  // the middle between 0 and the smallest value
    CHECK(to_f16(std::nextafter(0x1p-25f, 1.0f)) == 0x0001);
    CHECK(to_f16(-0.0f) == 0x8000);
    CHECK(to_bf16(std::numeric_limits<float>::max()) == 0x7f80);
    CHECK(to_bf16(-std::numeric_limits<float>::infinity()) == 0xff80);
  }

  TEST_CASE("a NaN whose payload lies in the lower half of an f32 does not become infinity as bf16") {
    CHECK(std::isnan(from_bf16(to_bf16(std::bit_cast<float>(0x7f800001u)))));
    CHECK(std::isnan(from_bf16(to_bf16(std::bit_cast<float>(0xff80ffffu)))));
    CHECK(std::isnan(from_f16(to_f16(std::bit_cast<float>(0x7f800001u)))));
  }

  TEST_CASE("the values that a file format's description gives come out") {
    CHECK(from_f16(0x3c00) == 1.0f);
    CHECK(from_f16(0x0001) == 5.96046448e-08f);
    CHECK(from_f16(0x03ff) == 6.09755516e-05f);
    CHECK(from_f16(0x0400) == 6.10351562e-05f);
    CHECK(from_f16(0x7bff) == 65504.0f);
    CHECK(from_bf16(0x3f80) == 1.0f);
    CHECK(from_bf16(0x0001) == 9.18354962e-41f);
    // The same bits under the wrong name are another number.
    CHECK(from_f16(0x3f80) == 1.875f);
    CHECK(std::isnan(from_f16(0x7f80)));
  }
}
