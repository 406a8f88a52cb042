// The one header that speaks of SIMD. A Lanes<Scalar> is one register of kLanes<Scalar> values (16 floats with
// AVX-512).
//
// Everything that sums or calls exp goes through here, because the promise "the same bits with and without a cache, in
// any chunks, with any number of threads" rests on it:
//   - a sum over n values is kLanes partial sums, lane l taking values l, l + kLanes, ..., with a zero-padded last step
//   and
//     one fixed reduction, so its order depends on n alone, never on an address or on the rows beside it;
//   - a multiply-add is fused exactly where fused() is written (we compile with -ffp-contract=off);
//   - exp always runs on whole registers, padded ones included.
// Stored numbers (f32, bf16, f16, or f64 for the oracle) are widened in the load and computed with as Scalar.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "model/dtype.h"

namespace kv::cpu {

template <class Scalar>
using Lanes = typename Eigen::internal::packet_traits<Scalar>::type;

template <class Scalar>
inline constexpr int kLanes = Eigen::internal::unpacket_traits<Lanes<Scalar>>::size;

// How a number lies in memory. Both are 16 bits; the type says what they mean.
struct Bf16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

inline float widen(float value) { return value; }
inline double widen(double value) { return value; }
inline float widen(Bf16 value) { return from_bf16(value.bits); }
inline float widen(F16 value) { return from_f16(value.bits); }

// Rounds to the stored type, to nearest, ties to even.
template <class Stored, class Scalar>
Stored narrow(Scalar value) {
  if constexpr (std::is_same_v<Stored, Bf16>) {
    return {to_bf16(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<Stored, F16>) {
    return {to_f16(static_cast<float>(value))};
  } else {
    return static_cast<Stored>(value);
  }
}

// Calls work with a null pointer of the stored type: the one place where a Dtype becomes a C++ type. Block types have
// none (model/blocks.h widens their rows): std::invalid_argument.
template <class Work>
decltype(auto) with_stored_type(Dtype dtype, Work&& work) {
  switch (dtype) {
    case Dtype::f64: return work(static_cast<const double*>(nullptr));
    case Dtype::f32: return work(static_cast<const float*>(nullptr));
    case Dtype::f16: return work(static_cast<const F16*>(nullptr));
    case Dtype::bf16: return work(static_cast<const Bf16*>(nullptr));
    default: throw std::invalid_argument("values of a block type are not read one by one");
  }
}

template <class Scalar>
Lanes<Scalar> all_lanes(Scalar value) {
  return Eigen::internal::pset1<Lanes<Scalar>>(value);
}

template <class Scalar>
Lanes<Scalar> zero_lanes() {
  return all_lanes(Scalar(0));
}

// bf16 is the upper half of an f32: move each 16 bits up. Written with the compilers' vectors, for any instruction set.
inline Lanes<float> load_bf16(const Bf16* from) {
  typedef uint16_t Halves __attribute__((vector_size(2 * kLanes<float>)));
  typedef uint32_t Words __attribute__((vector_size(4 * kLanes<float>)));
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  const Words words = __builtin_convertvector(halves, Words) << 16;
  Lanes<float> lanes;
  std::memcpy(&lanes, &words, sizeof lanes);
  return lanes;
}

// kLanes stored values from `from` on (any alignment), widened.
template <class Scalar, class Stored>
inline Lanes<Scalar> load(const Stored* from) {
  if constexpr (std::is_same_v<Scalar, Stored>) {
    return Eigen::internal::ploadu<Lanes<Scalar>>(from);
  } else if constexpr (std::is_same_v<Scalar, float> && std::is_same_v<Stored, Bf16>) {
    return load_bf16(from);
  } else {
    Scalar values[kLanes<Scalar>];
    for (int l = 0; l < kLanes<Scalar>; ++l) values[l] = static_cast<Scalar>(widen(from[l]));
    return Eigen::internal::ploadu<Lanes<Scalar>>(values);
  }
}

// The first `count` < kLanes values, the other lanes `padding`. Reads nothing beyond them.
template <class Scalar, class Stored>
inline Lanes<Scalar> load_padded(const Stored* from, int64_t count, Scalar padding = 0) {
  Scalar values[kLanes<Scalar>];
  for (int l = 0; l < kLanes<Scalar>; ++l) values[l] = l < count ? static_cast<Scalar>(widen(from[l])) : padding;
  return Eigen::internal::ploadu<Lanes<Scalar>>(values);
}

template <class Scalar>
inline void store(Scalar* to, const Lanes<Scalar>& lanes) {
  Eigen::internal::pstoreu(to, lanes);
}

template <class Scalar>
inline void store_first(Scalar* to, const Lanes<Scalar>& lanes, int64_t count) {
  Scalar values[kLanes<Scalar>];
  Eigen::internal::pstoreu(values, lanes);
  for (int64_t l = 0; l < count; ++l) to[l] = values[l];
}

// a * b + sum, one rounding where the processor has it.
template <class LanesType>
inline LanesType fused(const LanesType& a, const LanesType& b, const LanesType& sum) {
  return Eigen::internal::pmadd(a, b, sum);
}

template <class LanesType>
inline LanesType exp_lanes(const LanesType& x) {
  return Eigen::internal::pexp(x);
}

// The fixed reductions.
template <class Scalar>
inline Scalar sum_of_lanes(const Lanes<Scalar>& lanes) {
  return Eigen::internal::predux(lanes);
}

// Lane j of the result is the sum of the lanes of rows[j]: kLanes sums at once, added in ascending order of lane.
template <class Scalar>
inline Lanes<Scalar> sums_of_rows(Eigen::internal::PacketBlock<Lanes<Scalar>, kLanes<Scalar>>& rows) {
  Eigen::internal::ptranspose(rows);
  Lanes<Scalar> sum = rows.packet[0];
  for (int l = 1; l < kLanes<Scalar>; ++l) sum = Eigen::internal::padd(sum, rows.packet[l]);
  return sum;
}

// Calls step(i, count) for i = 0, kLanes, 2 kLanes, ... below n, with count = kLanes but perhaps at the end.
template <class Scalar, class Step>
inline void for_each_step(int64_t n, const Step& step) {
  int64_t i = 0;
  for (; i + kLanes<Scalar> <= n; i += kLanes<Scalar>) step(i, int64_t{kLanes<Scalar>});
  if (i < n) step(i, n - i);
}

// load or load_padded, as count asks.
template <class Scalar, class Stored>
inline Lanes<Scalar> load_step(const Stored* from, int64_t count) {
  return count == kLanes<Scalar> ? load<Scalar>(from) : load_padded<Scalar>(from, count);
}

template <class Scalar>
inline void store_step(Scalar* to, const Lanes<Scalar>& lanes, int64_t count) {
  if (count == kLanes<Scalar>) {
    store(to, lanes);
  } else {
    store_first(to, lanes, count);
  }
}

}  // namespace kv::cpu
