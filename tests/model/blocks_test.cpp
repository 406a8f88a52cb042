#include "model/blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/random.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

using Bytes = std::vector<std::byte>;

template <class Scalar = float>
std::vector<Scalar> widened(Dtype dtype, const Bytes& from, int64_t count) {
  std::vector<Scalar> values(static_cast<size_t>(count), Scalar{-1234.5});
  widen_row(dtype, from.data(), count, values.data());
  return values;
}

// Equal to the bit; NaNs are equal whatever their payload, which the processor chooses.
bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

int64_t differences(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return -1;
  int64_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += !same(a[i], b[i]);
  return count;
}

// --- What the Python package `gguf` makes of some blocks ---

struct GoldenBlock {
  Dtype dtype;
  std::string scales;  // what is special about them
  Bytes block;
  std::vector<float> values;
};

Bytes from_hex(const std::string& digits) {
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

Dtype dtype_called(const std::string& name) {
  for (const DtypeFacts& facts : kDtypes)
    if (facts.name == name) return facts.dtype;
  FAIL("unknown dtype ", name);
  return Dtype::f32;
}

std::vector<GoldenBlock> golden_blocks() {
  std::ifstream file(std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/goldens/blocks.json");
  std::vector<GoldenBlock> blocks;
  for (const nlohmann::json& entry : nlohmann::json::parse(file)) {
    GoldenBlock block{dtype_called(entry.at("type")), entry.at("scales"), from_hex(entry.at("block")), {}};
    const Bytes values = from_hex(entry.at("values"));
    block.values.resize(values.size() / 4);
    std::memcpy(block.values.data(), values.data(), values.size());
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// --- The block of the types' description: bytes (37 i + 11) mod 256, then d = 0.25 and m = -0.5 where there is one ---

struct Described {
  Dtype dtype;
  std::array<float, 4> first;
  std::array<float, 2> last;
  double sum;
};
constexpr std::array<Described, 8> kDescribed = {{
    {Dtype::q4_0, {-0.75f, 0.5f, 1.75f, -1.0f}, {-0.75f, 0.0f}, -5.25},
    {Dtype::q4_1, {3.25f, 0.5f, 1.75f, 3.0f}, {2.0f, 2.5f}, 45.25},
    {Dtype::q5_0, {2.25f, -0.5f, 0.75f, -2.0f}, {3.5f, 0.25f}, 3.75},
    {Dtype::q5_1, {4.25f, 5.5f, 6.75f, 4.0f}, {0.25f, 0.75f}, 110.25},
    {Dtype::q8_0, {21.25f, 30.5f, -24.25f, -15.0f}, {-21.25f, -12.0f}, -44.0},
    {Dtype::q4_k, {110.75f, 25.5f, 64.25f, 103.0f}, {31.0f, 34.0f}, 18890},
    {Dtype::q5_k, {234.75f, 25.5f, 188.25f, 103.0f}, {46.0f, 49.0f}, 34334},
    {Dtype::q6_k, {-357.75f, 424.0f, 145.75f, -132.5f}, {-10.0f, -15.0f}, 1153},
}};

bool has_minimum(Dtype dtype) {
  return dtype == Dtype::q4_1 || dtype == Dtype::q5_1 || dtype == Dtype::q4_k || dtype == Dtype::q5_k;
}

Bytes described_block(Dtype dtype) {
  Bytes block(static_cast<size_t>(facts_of(dtype).block_bytes));
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>((37 * i + 11) % 256);
  const uint16_t d = 0x3400, m = 0xb800;
  std::memcpy(block.data() + (dtype == Dtype::q6_k ? 208 : 0), &d, sizeof d);
  if (has_minimum(dtype)) std::memcpy(block.data() + 2, &m, sizeof m);
  return block;
}

// Random bytes; blocks get scales of a usual size, so that no value is infinite.
Bytes random_blocks(Dtype dtype, int64_t count, uint64_t seed) {
  Random random(seed, std::string(name_of(dtype)));
  const auto size = static_cast<size_t>(facts_of(dtype).block_bytes);
  Bytes blocks(size * static_cast<size_t>(count));
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random.below(256));
  if (!is_block_type(dtype)) return blocks;
  for (size_t at = 0; at < blocks.size(); at += size)
    for (const size_t scale : {size_t{0}, size_t{2}}) {
      const auto bits = static_cast<uint16_t>(0x2800 + random.below(0x1000));
      std::memcpy(blocks.data() + at + (dtype == Dtype::q6_k ? 208 : scale), &bits, sizeof bits);
    }
  return blocks;
}

// What 1 sign bit, `exponent_bits` of exponent and `fraction_bits` of fraction mean, from IEEE 754's own formula.
double meaning(uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = std::ldexp(static_cast<double>(bits & ((1u << fraction_bits) - 1u)), -fraction_bits);
  const double sign = (bits >> (exponent_bits + fraction_bits)) & 1u ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, exponent - bias));
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("the block of each type's description gives the values that the description lists") {
    for (const Described& expected : kDescribed) {
      CAPTURE(name_of(expected.dtype));
      const int64_t count = facts_of(expected.dtype).block_values;
      const std::vector<float> values = widened(expected.dtype, described_block(expected.dtype), count);
      for (size_t i = 0; i < 4; ++i) CHECK(values[i] == expected.first[i]);
      for (size_t i = 0; i < 2; ++i) CHECK(values[values.size() - 2 + i] == expected.last[i]);
      double sum = 0;  // exact: all values are small multiples of 1/4
      for (const float value : values) sum += static_cast<double>(value);
      CHECK(sum == expected.sum);
    }
  }

  TEST_CASE("blocks with usual, negative, subnormal, huge, infinite and NaN scales widen as the gguf package does") {
    const std::vector<GoldenBlock> blocks = golden_blocks();
    CHECK(blocks.size() == 64);
    for (const GoldenBlock& golden : blocks) {
      CAPTURE(name_of(golden.dtype));
      CAPTURE(golden.scales);
      REQUIRE(std::ssize(golden.block) == facts_of(golden.dtype).block_bytes);
      REQUIRE(std::ssize(golden.values) == facts_of(golden.dtype).block_values);
      CHECK(differences(widened(golden.dtype, golden.block, std::ssize(golden.values)), golden.values) == 0);
      if (golden.scales == "described") CHECK(golden.block == described_block(golden.dtype));
    }
  }

  TEST_CASE("every bit of a block matters to the values, and only to its own block's") {
    for (const Described& type : kDescribed) {
      CAPTURE(name_of(type.dtype));
      const DtypeFacts& facts = facts_of(type.dtype);
      const Bytes blocks = random_blocks(type.dtype, 3, 5);
      const std::vector<float> before = widened(type.dtype, blocks, 3 * facts.block_values);
      int64_t unseen = 0, strayed = 0;
      for (int64_t bit = 0; bit < 8 * facts.block_bytes; ++bit) {
        Bytes flipped = blocks;
        flipped[static_cast<size_t>(facts.block_bytes + bit / 8)] ^= static_cast<std::byte>(1 << bit % 8);
        const std::vector<float> after = widened(type.dtype, flipped, 3 * facts.block_values);
        int64_t changed = 0;
        for (int64_t i = 0; i < std::ssize(after); ++i) {
          const bool differs = !same(before[static_cast<size_t>(i)], after[static_cast<size_t>(i)]);
          changed += differs;
          strayed += differs && (i < facts.block_values || i >= 2 * facts.block_values);
        }
        unseen += changed == 0;
      }
      CHECK(unseen == 0);
      CHECK(strayed == 0);
    }
  }

  TEST_CASE("a row of several blocks widens block after block, from any address") {
    for (const Described& type : kDescribed) {
      CAPTURE(name_of(type.dtype));
      const DtypeFacts& facts = facts_of(type.dtype);
      const Bytes blocks = random_blocks(type.dtype, 5, 9);
      const std::vector<float> whole = widened(type.dtype, blocks, 5 * facts.block_values);
      std::vector<float> pieces;
      for (int64_t block = 0; block < 5; ++block) {
        const auto begin = blocks.begin() + block * facts.block_bytes;
        const std::vector<float> piece =
            widened(type.dtype, Bytes(begin, begin + facts.block_bytes), facts.block_values);
        pieces.insert(pieces.end(), piece.begin(), piece.end());
      }
      CHECK(differences(whole, pieces) == 0);
      Bytes askew(blocks.size() + 1);
      std::copy(blocks.begin(), blocks.end(), askew.begin() + 1);
      std::vector<float> from_odd_address(whole.size());
      widen_row(type.dtype, askew.data() + 1, std::ssize(whole), from_odd_address.data());
      CHECK(differences(whole, from_odd_address) == 0);
    }
  }

  TEST_CASE("widening to double gives the same numbers as widening to float") {
    for (const DtypeFacts& facts : kDtypes) {
      if (facts.dtype == Dtype::f64) continue;
      CAPTURE(facts.name);
      const Bytes blocks = random_blocks(facts.dtype, std::max<int64_t>(1, 64 / facts.block_bytes), 13);
      const int64_t count = std::ssize(blocks) / facts.block_bytes * facts.block_values;
      const std::vector<float> as_float = widened(facts.dtype, blocks, count);
      const std::vector<double> as_double = widened<double>(facts.dtype, blocks, count);
      int64_t wrong = 0;
      for (size_t i = 0; i < as_float.size(); ++i)
        wrong += std::isnan(as_float[i]) ? !std::isnan(as_double[i]) : as_double[i] != static_cast<double>(as_float[i]);
      CHECK(wrong == 0);
    }
  }

  TEST_CASE(
      "plain types keep every value: f32 and f64 to the bit, f16 and bf16 by IEEE 754's formula for all patterns") {
    Bytes patterns;
    for (uint32_t bits = 0; bits <= 0xffff; ++bits)
      for (const uint32_t half : {bits & 255u, bits >> 8}) patterns.push_back(static_cast<std::byte>(half));
    const std::vector<float> as_f16 = widened(Dtype::f16, patterns, 65536);
    const std::vector<float> as_bf16 = widened(Dtype::bf16, patterns, 65536);
    int64_t wrong = 0;
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      wrong += !same(as_f16[bits], static_cast<float>(meaning(bits, 5, 10)));
      wrong += !same(as_bf16[bits], static_cast<float>(meaning(bits, 8, 7)));
    }
    CHECK(wrong == 0);

    const std::vector<double> numbers = {1.0 / 3, -0.0, 1e-300, HUGE_VAL, 4503599627370497.0};
    Bytes bytes(numbers.size() * 8);
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    CHECK(widened<double>(Dtype::f64, bytes, std::ssize(numbers)) == numbers);
    const std::vector<float> singles = {1.0f / 3, -0.0f, 1e-45f, HUGE_VALF, 16777215.0f};
    std::memcpy(bytes.data(), singles.data(), singles.size() * 4);
    CHECK(differences(widened(Dtype::f32, bytes, std::ssize(singles)), singles) == 0);
  }

  TEST_CASE("no values widen to nothing, and a part of a block is refused with both numbers") {
    float untouched = 7;
    for (const DtypeFacts& facts : kDtypes) {
      CAPTURE(facts.name);
      widen_row(facts.dtype, nullptr, 0, &untouched);
      if (!is_block_type(facts.dtype)) continue;
      const Bytes blocks = random_blocks(facts.dtype, 2, 17);
      std::vector<float> values(static_cast<size_t>(2 * facts.block_values));
      for (const int64_t count : {int64_t{1}, facts.block_values - 1, facts.block_values + 1})
        CHECK(
            names(error_of<std::invalid_argument>([&] { widen_row(facts.dtype, blocks.data(), count, values.data()); }),
                  std::to_string(count), facts.name));
    }
    CHECK(untouched == 7);
  }

  TEST_CASE("a block type's values have no bytes of their own, but its rows do") {
    CHECK(bytes_of_row(Dtype::q4_1, 576) == 576 / 32 * 20);
    CHECK(bytes_of_row(Dtype::q6_k, 512) == 420);
    CHECK(bytes_of_row(Dtype::bf16, 7) == 14);
    for (const Described& type : kDescribed) {
      CHECK(is_block_type(type.dtype));
      CHECK(error_of<std::invalid_argument>([&] { bytes_of(type.dtype); }) != "(no error)");
    }
    CHECK(bytes_of(Dtype::bf16) == 2);
  }
}
