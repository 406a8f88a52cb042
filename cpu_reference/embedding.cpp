#include "cpu_reference/embedding.h"

#include <fmt/format.h>

#include <stdexcept>

#include "cpu_reference/lanes.h"

namespace kv::cpu {

template <class Scalar>
Matrix<Scalar> embed(std::span<const int32_t> tokens, const WeightMatrix& table, const Run& run) {
  for (const int32_t token : tokens)
    if (token < 0 || token >= table.rows)
      throw std::invalid_argument(
          fmt::format("token id {} is outside the embedding, which has ids 0 to {}", token, table.rows - 1));
  Matrix<Scalar> rows(std::ssize(tokens), table.cols);
  with_stored_type(table.dtype, [&]<class Stored>(const Stored*) {
    for (int64_t t = 0; t < rows.rows(); ++t) {
      const auto* from = reinterpret_cast<const Stored*>(table.row(tokens[static_cast<size_t>(t)]));
      for (int64_t d = 0; d < table.cols; ++d) rows(t, d) = static_cast<Scalar>(widen(from[d]));
      run.count(&Counters::weight_bytes, table.cols * bytes_of(table.dtype));
    }
  });
  return rows;
}

template Matrix<float> embed(std::span<const int32_t>, const WeightMatrix&, const Run&);
template Matrix<double> embed(std::span<const int32_t>, const WeightMatrix&, const Run&);

}  // namespace kv::cpu
