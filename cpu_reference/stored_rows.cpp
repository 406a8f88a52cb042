#include "cpu_reference/stored_rows.h"

#include "cpu_reference/lanes.h"

namespace kv::cpu {

template <class Scalar>
void store_row(std::byte* to, Dtype dtype, const Scalar* from, int64_t count) {
  with_stored_type(dtype, [&]<class Stored>(const Stored*) {
    Stored* row = reinterpret_cast<Stored*>(to);
    for (int64_t i = 0; i < count; ++i) row[i] = narrow<Stored>(from[i]);
  });
}

template <class Scalar>
StoredBlock::StoredBlock(Rows<Scalar> rows, int64_t kv_heads, Dtype dtype) {
  const int64_t dim = rows.cols / kv_heads;
  bytes_.resize(static_cast<size_t>(rows.rows * rows.cols * bytes_of(dtype)));
  view_ = {bytes_.data(), dtype, kv_heads, dim, rows.rows, rows.rows * dim, dim, false};
  for (int64_t head = 0; head < kv_heads; ++head)
    for (int64_t t = 0; t < rows.rows; ++t) {
      std::byte* to = bytes_.data() + (view_.row(head, t) - view_.data);
      store_row(to, dtype, rows.row(t) + head * dim, dim);
    }
}

template <class Scalar>
Matrix<Scalar> read_rows(const StoredRows& stored, int64_t kv_head, int64_t begin, int64_t end) {
  Matrix<Scalar> rows(end - begin, stored.dim);
  with_stored_type(stored.dtype, [&]<class Stored>(const Stored*) {
    for (int64_t position = begin; position < end; ++position) {
      const Stored* row = reinterpret_cast<const Stored*>(stored.row(kv_head, position));
      for (int64_t d = 0; d < stored.dim; ++d) rows(position - begin, d) = static_cast<Scalar>(widen(row[d]));
    }
  });
  return rows;
}

template void store_row(std::byte*, Dtype, const float*, int64_t);
template void store_row(std::byte*, Dtype, const double*, int64_t);
template StoredBlock::StoredBlock(Rows<float>, int64_t, Dtype);
template StoredBlock::StoredBlock(Rows<double>, int64_t, Dtype);
template Matrix<float> read_rows(const StoredRows&, int64_t, int64_t, int64_t);
template Matrix<double> read_rows(const StoredRows&, int64_t, int64_t, int64_t);

}  // namespace kv::cpu
