// The largest sizes that a config may state: far above every model there is, and low enough that the bytes of all
// weights, or of a full cache, fit 64 bits.
#pragma once

#include <cstdint>

namespace kv {

inline constexpr int64_t kMaxLayers = 1 << 10;
inline constexpr int64_t kMaxHeads = 1 << 12;
inline constexpr int64_t kMaxHeadDim = 1 << 11;
inline constexpr int64_t kMaxDim = 1 << 17;
inline constexpr int64_t kMaxHiddenDim = 1 << 22;
inline constexpr int64_t kMaxVocab = 1 << 28;
inline constexpr int64_t kMaxContext = 1 << 26;
inline constexpr int64_t kMaxExperts = 1 << 16;

}  // namespace kv
