// Dtype: how numbers are stored. Three of them matter in a run and are never mixed up: the weights', the cache's, and
// the one that arithmetic is done in (always float, or double in the oracle; see cpu_reference).
//
// Plain types store each value by itself. Block types, which only weights have, store 32 or 256 values of a row
// together: small integers and the scale that they share (model/blocks.h).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace kv {

enum class Dtype { f64, f32, f16, bf16, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k };

struct DtypeFacts {
  Dtype dtype;
  std::string_view name;
  int64_t block_values;  // stored together; 1 for a plain type
  int64_t block_bytes;
};
inline constexpr std::array<DtypeFacts, 12> kDtypes = {{
    {Dtype::f64, "f64", 1, 8},
    {Dtype::f32, "f32", 1, 4},
    {Dtype::f16, "f16", 1, 2},
    {Dtype::bf16, "bf16", 1, 2},
    {Dtype::q4_0, "q4_0", 32, 18},
    {Dtype::q4_1, "q4_1", 32, 20},
    {Dtype::q5_0, "q5_0", 32, 22},
    {Dtype::q5_1, "q5_1", 32, 24},
    {Dtype::q8_0, "q8_0", 32, 34},
    {Dtype::q4_k, "q4_k", 256, 144},
    {Dtype::q5_k, "q5_k", 256, 176},
    {Dtype::q6_k, "q6_k", 256, 210},
}};
constexpr const DtypeFacts& facts_of(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)]; }
static_assert([] {
  for (size_t i = 0; i < kDtypes.size(); ++i)
    if (kDtypes[i].dtype != static_cast<Dtype>(i)) return false;
  return true;
}());

constexpr std::string_view name_of(Dtype dtype) { return facts_of(dtype).name; }
constexpr bool is_block_type(Dtype dtype) { return facts_of(dtype).block_values > 1; }

// Bytes of one stored value of a plain type. Throws std::invalid_argument for a block type, whose values have no bytes
// of their own.
constexpr int64_t bytes_of(Dtype dtype) {
  if (is_block_type(dtype)) throw std::invalid_argument("a value of a block type has no bytes of its own");
  return facts_of(dtype).block_bytes;
}

// Bytes of a row of `values`, which fills whole blocks.
constexpr int64_t bytes_of_row(Dtype dtype, int64_t values) {
  return values / facts_of(dtype).block_values * facts_of(dtype).block_bytes;
}

// bf16 is the upper half of an f32.
constexpr float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// Rounds to nearest, ties to even. A NaN stays a NaN.
constexpr uint16_t to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 64);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// IEEE half: 1 sign, 5 exponent, 10 fraction bits. The bits moved up read as a float that is too small by 2^112,
// exactly, subnormals included; infinity and NaN have all exponent bits set. Without a branch, so that compilers do
// many at once.
constexpr float from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  const uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  const uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(finite | special | sign);
}

// Rounds to nearest, ties to even; too large becomes infinity. A NaN stays a NaN.
constexpr uint16_t to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 65,536 or more
  if (magnitude <
      0x38800000u) {  // below 2^-14: adding 0.5 leaves the fraction, rounded by the hardware, in the low bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace kv
