#include "model/blocks.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

namespace kv {

namespace {

// --- Reading the fields of a block, which lie in the file without alignment ---

const uint8_t* bytes_at(const std::byte* block, int offset) { return reinterpret_cast<const uint8_t*>(block) + offset; }

float half_at(const std::byte* block, int offset) {
  uint16_t bits;
  std::memcpy(&bits, block + offset, sizeof bits);
  return from_f16(bits);
}

uint32_t word_at(const std::byte* block, int offset) {
  uint32_t word;
  std::memcpy(&word, block + offset, sizeof word);
  return word;
}

int low(uint8_t byte) { return byte & 15; }
int high(uint8_t byte) { return byte >> 4; }

// --- 32 values: one scale d, perhaps one minimum m. Byte i holds value i in its low half, value 16 + i in its high.
// Loops over halves stand outside because compilers turn them into vector code like this, and not if they are unrolled
// by hand. ---

int nibble_of_half(uint8_t byte, int half) { return byte >> 4 * half & 15; }

// Bit i of `fifth` is the fifth bit of value i.
int fifth_bit(uint32_t fifth, int i) { return static_cast<int>(fifth >> i & 1u) << 4; }

template <class Scalar>
void widen_q4_0(const std::byte* block, Scalar* __restrict to) {  // d, 16 bytes
  const float d = half_at(block, 0);
  const uint8_t* q = bytes_at(block, 2);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 16; ++i) to[16 * half + i] = d * static_cast<float>(nibble_of_half(q[i], half) - 8);
}

template <class Scalar>
void widen_q4_1(const std::byte* block, Scalar* __restrict to) {  // d, m, 16 bytes
  const float d = half_at(block, 0), m = half_at(block, 2);
  const uint8_t* q = bytes_at(block, 4);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 16; ++i) to[16 * half + i] = d * static_cast<float>(nibble_of_half(q[i], half)) + m;
}

template <class Scalar>
void widen_q5_0(const std::byte* block, Scalar* __restrict to) {  // d, 32 fifth bits, 16 bytes
  const float d = half_at(block, 0);
  const uint32_t fifth = word_at(block, 2);
  const uint8_t* q = bytes_at(block, 6);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 16; ++i)
      to[16 * half + i] = d * static_cast<float>((nibble_of_half(q[i], half) | fifth_bit(fifth >> 16 * half, i)) - 16);
}

template <class Scalar>
void widen_q5_1(const std::byte* block, Scalar* __restrict to) {  // d, m, 32 fifth bits, 16 bytes
  const float d = half_at(block, 0), m = half_at(block, 2);
  const uint32_t fifth = word_at(block, 4);
  const uint8_t* q = bytes_at(block, 8);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 16; ++i)
      to[16 * half + i] = d * static_cast<float>(nibble_of_half(q[i], half) | fifth_bit(fifth >> 16 * half, i)) + m;
}

template <class Scalar>
void widen_q8_0(const std::byte* block, Scalar* __restrict to) {  // d, 32 signed bytes
  const float d = half_at(block, 0);
  const uint8_t* q = bytes_at(block, 2);
  for (int i = 0; i < 32; ++i) to[i] = d * static_cast<float>(static_cast<int8_t>(q[i]));
}

// --- 256 values in 8 groups of 32, each with a 6-bit scale and a 6-bit minimum (Q4_K, Q5_K) ---

struct GroupScale {
  int scale, minimum;
};

// 8 scales and 8 minima in 12 bytes: the first four of each lie in the low 6 bits of bytes 0-3 and 4-7, whose upper two
// bits are the upper bits of the last four; their lower bits share bytes 8-11.
GroupScale group_scale(const uint8_t* packed, int group) {
  if (group < 4) return {packed[group] & 63, packed[group + 4] & 63};
  return {low(packed[group + 4]) | packed[group - 4] >> 6 << 4, high(packed[group + 4]) | packed[group] >> 6 << 4};
}

// Groups 2p and 2p + 1 are the low and high halves of bytes 32p to 32p + 31.
int nibble(const uint8_t* q, int group, int i) {
  const uint8_t byte = q[group / 2 * 32 + i];
  return group % 2 == 0 ? low(byte) : high(byte);
}

template <class Scalar>
void widen_q4_k(const std::byte* block, Scalar* __restrict to) {  // d, m, 12 bytes of scales, 128 bytes
  const float d = half_at(block, 0), m = half_at(block, 2);
  const uint8_t* q = bytes_at(block, 16);
  for (int group = 0; group < 8; ++group) {
    const GroupScale packed = group_scale(bytes_at(block, 4), group);
    const float scale = d * static_cast<float>(packed.scale), minimum = m * static_cast<float>(packed.minimum);
    for (int i = 0; i < 32; ++i) to[32 * group + i] = scale * static_cast<float>(nibble(q, group, i)) - minimum;
  }
}

template <class Scalar>
void widen_q5_k(const std::byte* block,
                Scalar* __restrict to) {  // d, m, 12 bytes of scales, 32 bytes of fifth bits, 128 bytes
  const float d = half_at(block, 0), m = half_at(block, 2);
  const uint8_t* fifth = bytes_at(block, 16);  // bit g of byte i: value i of group g
  const uint8_t* q = bytes_at(block, 48);
  for (int group = 0; group < 8; ++group) {
    const GroupScale packed = group_scale(bytes_at(block, 4), group);
    const float scale = d * static_cast<float>(packed.scale), minimum = m * static_cast<float>(packed.minimum);
    for (int i = 0; i < 32; ++i)
      to[32 * group + i] = scale * static_cast<float>(nibble(q, group, i) | (fifth[i] >> group & 1) << 4) - minimum;
  }
}

// --- 256 values in 16 groups of 16, each with an 8-bit scale (Q6_K) ---

template <class Scalar>
void widen_q6_k(const std::byte* block,
                Scalar* __restrict to) {  // 128 bytes of low bits, 64 of high bits, 16 scales, d
  const float d = half_at(block, 208);
  for (int half = 0; half < 2; ++half) {
    const uint8_t* lower = bytes_at(block, 64 * half);        // 4 bits of each value, two in a byte
    const uint8_t* upper = bytes_at(block, 128 + 32 * half);  // 2 bits of each value, four in a byte
    for (int quarter = 0; quarter < 4; ++quarter) {           // 32 values
      const uint8_t* q = lower + 32 * (quarter % 2);
      const int first = 128 * half + 32 * quarter;
      for (int group = 0; group < 2; ++group) {
        const float scale = d * static_cast<float>(static_cast<int8_t>(*bytes_at(block, 192 + first / 16 + group)));
        for (int i = 16 * group; i < 16 * group + 16; ++i) {
          const int bits = (quarter < 2 ? low(q[i]) : high(q[i])) | (upper[i] >> 2 * quarter & 3) << 4;
          to[first + i] = scale * static_cast<float>(bits - 32);
        }
      }
    }
  }
}

// --- Rows ---

// `count` values, one block after the other. The block's function is a template argument, so that it is inlined.
template <Dtype dtype, auto widen_block, class Scalar>
void widen_blocks(const std::byte* from, int64_t count, Scalar* to) {
  constexpr DtypeFacts kFacts = facts_of(dtype);
  for (int64_t i = 0; i < count; i += kFacts.block_values, from += kFacts.block_bytes) widen_block(from, to + i);
}

template <class Stored, class Scalar, class Widen>
void widen_values(const std::byte* from, int64_t count, Scalar* to, const Widen& widen) {
  for (int64_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, from + i * int64_t{sizeof stored}, sizeof stored);
    to[i] = static_cast<Scalar>(widen(stored));
  }
}

template <class Scalar>
void widen(Dtype dtype, const std::byte* from, int64_t count, Scalar* to) {
  if (count % facts_of(dtype).block_values != 0)
    throw std::invalid_argument(fmt::format("{} values are no whole number of {} blocks", count, name_of(dtype)));
  const auto same = [](auto value) { return value; };
  switch (dtype) {
    case Dtype::f64: return widen_values<double>(from, count, to, same);
    case Dtype::f32: return widen_values<float>(from, count, to, same);
    case Dtype::f16: return widen_values<uint16_t>(from, count, to, from_f16);
    case Dtype::bf16: return widen_values<uint16_t>(from, count, to, from_bf16);
    case Dtype::q4_0: return widen_blocks<Dtype::q4_0, widen_q4_0<Scalar>>(from, count, to);
    case Dtype::q4_1: return widen_blocks<Dtype::q4_1, widen_q4_1<Scalar>>(from, count, to);
    case Dtype::q5_0: return widen_blocks<Dtype::q5_0, widen_q5_0<Scalar>>(from, count, to);
    case Dtype::q5_1: return widen_blocks<Dtype::q5_1, widen_q5_1<Scalar>>(from, count, to);
    case Dtype::q8_0: return widen_blocks<Dtype::q8_0, widen_q8_0<Scalar>>(from, count, to);
    case Dtype::q4_k: return widen_blocks<Dtype::q4_k, widen_q4_k<Scalar>>(from, count, to);
    case Dtype::q5_k: return widen_blocks<Dtype::q5_k, widen_q5_k<Scalar>>(from, count, to);
    case Dtype::q6_k: return widen_blocks<Dtype::q6_k, widen_q6_k<Scalar>>(from, count, to);
  }
  throw std::invalid_argument("unknown dtype");
}

}  // namespace

void widen_row(Dtype dtype, const std::byte* from, int64_t count, float* to) { widen(dtype, from, count, to); }
void widen_row(Dtype dtype, const std::byte* from, int64_t count, double* to) { widen(dtype, from, count, to); }

void narrow_row(Dtype dtype, const float* from, int64_t count, std::byte* to) {
  const auto store = [&](const auto& narrow) {
    for (int64_t i = 0; i < count; ++i) {
      const auto stored = narrow(from[i]);
      std::memcpy(to + i * int64_t{sizeof stored}, &stored, sizeof stored);
    }
  };
  switch (dtype) {
    case Dtype::f32: return store([](float value) { return value; });
    case Dtype::f16: return store(to_f16);
    case Dtype::bf16: return store(to_bf16);
    default: throw std::invalid_argument(fmt::format("values cannot be stored anew as {}", name_of(dtype)));
  }
}

}  // namespace kv
