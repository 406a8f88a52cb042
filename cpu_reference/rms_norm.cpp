#include "cpu_reference/rms_norm.h"

#include <cmath>

#include "cpu_reference/lanes.h"

namespace kv::cpu {

namespace {

template <class Scalar, class Stored>
void norm_row(Scalar* y, const Scalar* x, const Stored* gain, int64_t dim, Scalar eps) {
  Lanes<Scalar> squares = zero_lanes<Scalar>();
  for_each_step<Scalar>(dim, [&](int64_t i, int64_t count) {
    const Lanes<Scalar> values = load_step<Scalar>(x + i, count);
    squares = fused(values, values, squares);
  });
  const Scalar mean = sum_of_lanes<Scalar>(squares) / static_cast<Scalar>(dim);
  const Scalar inverse = Scalar(1) / std::sqrt(mean + eps);
  for (int64_t i = 0; i < dim; ++i) y[i] = x[i] * inverse * static_cast<Scalar>(widen(gain[i]));
}

}  // namespace

template <class Scalar>
Matrix<Scalar> rms_norm(Rows<Scalar> x, const WeightMatrix& gain, double eps, const Run& run) {
  expect_shape(gain.name, {gain.rows, gain.cols}, {1, x.cols});
  Matrix<Scalar> y(x.rows, x.cols);
  with_stored_type(gain.dtype, [&]<class Stored>(const Stored*) {
    const auto* gains = reinterpret_cast<const Stored*>(gain.data);
    run.team.split(x.rows, run.team.worthwhile(4 * x.cols), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t)
        norm_row(y.data() + t * x.cols, x.row(t), gains, x.cols, static_cast<Scalar>(eps));
      run.count(&Counters::other_flops, (end - begin) * x.cols * static_cast<int64_t>(kNormFlopsPerValue));
    });
  });
  run.count(&Counters::weight_bytes, gain.bytes());
  return y;
}

template <class Scalar>
Matrix<Scalar> rms_norm_heads(const Matrix<Scalar>& x, const WeightMatrix& gain, double eps, const Run& run) {
  const int64_t heads = x.cols() / gain.cols;
  const Rows<Scalar> each_head(x.data(), x.rows() * heads, gain.cols, gain.cols);
  Matrix<Scalar> y = rms_norm(each_head, gain, eps, run);
  y.resize(x.rows(), x.cols());  // the same values in the same order
  return y;
}

template Matrix<float> rms_norm(Rows<float>, const WeightMatrix&, double, const Run&);
template Matrix<double> rms_norm(Rows<double>, const WeightMatrix&, double, const Run&);
template Matrix<float> rms_norm_heads(const Matrix<float>&, const WeightMatrix&, double, const Run&);
template Matrix<double> rms_norm_heads(const Matrix<double>&, const WeightMatrix&, double, const Run&);

}  // namespace kv::cpu
