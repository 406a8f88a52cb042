// StoredRows: where attention finds the keys (or values) of one layer, whoever keeps them, in the type they are stored
// in.
//
// Both sides of the claim "the cache changes nothing" round through store_row: the cache when it appends, and
// forward_without_cache before it attends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu_reference/tensor.h"
#include "model/dtype.h"

namespace kv::cpu {

// [kv_heads, positions, dim]. Row (kv_head, position) starts at value kv_head * head_stride + (position % slots) *
// row_stride.
struct StoredRows {
  const std::byte* data = nullptr;
  Dtype dtype = Dtype::f32;
  int64_t kv_heads = 0;
  int64_t dim = 0;
  int64_t slots = 0;
  int64_t head_stride = 0;
  int64_t row_stride = 0;
  bool cached = false;  // reading these counts as reading the cache

  const std::byte* row(int64_t kv_head, int64_t position) const {
    return data + (kv_head * head_stride + position % slots * row_stride) * bytes_of(dtype);
  }
  int64_t row_bytes() const { return dim * bytes_of(dtype); }
};

// Rounds `count` values to dtype, to nearest, ties to even.
template <class Scalar>
void store_row(std::byte* to, Dtype dtype, const Scalar* from, int64_t count);

// Rows of its own, for a pass without a cache.
class StoredBlock {
 public:
  // rows [tokens, kv_heads * dim] -> [kv_heads, tokens, dim], rounded to dtype.
  template <class Scalar>
  StoredBlock(Rows<Scalar> rows, int64_t kv_heads, Dtype dtype);

  StoredRows view() const { return view_; }

 private:
  std::vector<std::byte> bytes_;
  StoredRows view_;
};

// Positions begin .. end of one head, widened: [end - begin, dim].
template <class Scalar>
Matrix<Scalar> read_rows(const StoredRows& stored, int64_t kv_head, int64_t begin, int64_t end);

}  // namespace kv::cpu
