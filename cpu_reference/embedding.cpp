#include "cpu_reference/embedding.h"

#include <fmt/format.h>

#include <stdexcept>

#include "model/blocks.h"

namespace kv::cpu {

template <class Scalar>
Matrix<Scalar> embed(std::span<const int32_t> tokens, const WeightMatrix& table, const Run& run) {
  for (const int32_t token : tokens)
    if (token < 0 || token >= table.rows)
      throw std::invalid_argument(
          fmt::format("token id {} is outside the embedding, which has ids 0 to {}", token, table.rows - 1));
  Matrix<Scalar> rows(std::ssize(tokens), table.cols);
  for (int64_t t = 0; t < rows.rows(); ++t) {
    widen_row(table.dtype, table.row(tokens[static_cast<size_t>(t)]), table.cols, rows.data() + t * table.cols);
    run.count(&Counters::weight_bytes, table.row_bytes());
  }
  return rows;
}

template Matrix<float> embed(std::span<const int32_t>, const WeightMatrix&, const Run&);
template Matrix<double> embed(std::span<const int32_t>, const WeightMatrix&, const Run&);

}  // namespace kv::cpu
