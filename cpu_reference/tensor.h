// The Eigen dialect of this folder: everything is row-major, last index fastest. Nothing else spells
// Eigen::Matrix<...>.
//
// Activations are matrices with one row per token. A dimension that is really two, as in [tokens, heads * head_dim], is
// written as such in comments and taken apart by column blocks.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "model/shape.h"

namespace kv::cpu {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of somebody else's matrix, perhaps a block of its columns: what operations take. Row t starts at data + t *
// stride.
template <class Scalar>
struct Rows {
  const Scalar* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;

  Rows(const Scalar* d, int64_t r, int64_t c, int64_t s) : data(d), rows(r), cols(c), stride(s) {}
  Rows(const Matrix<Scalar>& m) : data(m.data()), rows(m.rows()), cols(m.cols()), stride(m.cols()) {}  // NOLINT: a view

  const Scalar* row(int64_t t) const { return data + t * stride; }
  Rows columns(int64_t begin, int64_t count) const { return {data + begin, rows, count, stride}; }
  Rows last(int64_t count) const { return {row(rows - count), count, cols, stride}; }
  Shape shape() const { return {rows, cols}; }
};

// The same for an operation's output.
template <class Scalar>
struct MutableRows {
  Scalar* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;

  MutableRows(Scalar* d, int64_t r, int64_t c, int64_t s) : data(d), rows(r), cols(c), stride(s) {}
  MutableRows(Matrix<Scalar>& m)
      : data(m.data()), rows(m.rows()), cols(m.cols()), stride(m.cols()) {}  // NOLINT: a view

  Scalar* row(int64_t t) const { return data + t * stride; }
  MutableRows columns(int64_t begin, int64_t count) const { return {data + begin, rows, count, stride}; }
};

}  // namespace kv::cpu
