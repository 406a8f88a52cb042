// Comparing tensors: to the bit where the claim is exact, by the worst error where it is numerical.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu_reference/tensor.h"

namespace kv::test {

// Every bit equal, NaNs and signs of zero included.
template <class Scalar>
bool same_bits(const cpu::Matrix<Scalar>& a, const cpu::Matrix<Scalar>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<size_t>(a.size()) * sizeof(Scalar)) == 0;
}

// The largest |a - b|; infinity when the shapes differ or anything is NaN, so that `error <= bound` fails.
template <class A, class B>
double worst_error(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (int64_t r = 0; r < a.rows(); ++r)
    for (int64_t c = 0; c < a.cols(); ++c) {
      const double error = std::abs(static_cast<double>(a(r, c)) - static_cast<double>(b(r, c)));
      if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
  return worst;
}

// The largest |value|: what errors are measured against.
template <class A>
double scale_of(const A& a) {
  double scale = 0;
  for (int64_t r = 0; r < a.rows(); ++r)
    for (int64_t c = 0; c < a.cols(); ++c) scale = std::max(scale, std::abs(static_cast<double>(a(r, c))));
  return scale;
}

}  // namespace kv::test
