// Blocks: how ggml's quantised types turn back into numbers. A block of a row holds small integers q, and y = d q, or
// d q + m, with one d and m for 32 values; the K types hold 256 values whose groups have scales of their own,
// themselves 6-bit or 8-bit integers (github.com/ggml-org/ggml, src/ggml-common.h).
//
// Widening is exact arithmetic in float, in the order that ggml does it, so that both give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/dtype.h"

namespace kv {

// `count` values, a whole number of blocks, of stored type `dtype` -> to [count]. Plain types are widened as well.
// `from` needs no alignment. Throws std::invalid_argument when the blocks are not whole.
void widen_row(Dtype dtype, const std::byte* from, int64_t count, float* to);
void widen_row(Dtype dtype, const std::byte* from, int64_t count, double* to);

// `count` values -> stored as f32, f16 or bf16, rounded to nearest, ties to even. Throws std::invalid_argument for
// other types.
void narrow_row(Dtype dtype, const float* from, int64_t count, std::byte* to);

}  // namespace kv
