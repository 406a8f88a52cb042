#include "cpu_reference/linear.h"

#include <algorithm>

#include "cpu_reference/lanes.h"

namespace kv::cpu {

namespace {

// A tile is T tokens by O outputs, whose sums stay in registers: T * O of them, O for the weights, one for the tokens.
template <class Scalar>
inline constexpr int kTileTokens = kLanes<Scalar> == 16 ? 6 : 2;
inline constexpr int kTileOutputs = 4;
// Outputs whose weights are reused for all tokens while they stay in the second-level cache.
inline constexpr int64_t kPanelOutputs = 64;

// One tile: every output is kLanes partial sums over ascending i, a zero-padded last step, one fixed reduction.
// `padded` says whether `in` leaves a last step; as a template argument it costs the other tiles no registers.
template <int T, int O, bool padded, class Scalar, class Stored>
[[gnu::always_inline]] inline void tile(const Scalar* x, int64_t x_stride, const Stored* w, int64_t in, Scalar* y,
                                        int64_t y_stride) {
  Lanes<Scalar> sums[T][O];
  for (int t = 0; t < T; ++t)
    for (int o = 0; o < O; ++o) sums[t][o] = zero_lanes<Scalar>();
  const int64_t whole = in - in % kLanes<Scalar>;
  for (int64_t i = 0; i < whole; i += kLanes<Scalar>) {
    Lanes<Scalar> weights[O];
    for (int o = 0; o < O; ++o) weights[o] = load<Scalar>(w + o * in + i);
    for (int t = 0; t < T; ++t) {
      const Lanes<Scalar> values = load<Scalar>(x + t * x_stride + i);
      for (int o = 0; o < O; ++o) sums[t][o] = fused(values, weights[o], sums[t][o]);
    }
  }
  if constexpr (padded) {
    for (int o = 0; o < O; ++o) {
      const Lanes<Scalar> weights = load_padded<Scalar>(w + o * in + whole, in - whole);
      for (int t = 0; t < T; ++t)
        sums[t][o] = fused(load_padded<Scalar>(x + t * x_stride + whole, in - whole), weights, sums[t][o]);
    }
  }
  for (int t = 0; t < T; ++t)
    for (int o = 0; o < O; ++o) y[t * y_stride + o] = sum_of_lanes<Scalar>(sums[t][o]);
}

// Outputs begin .. end for T tokens.
template <int T, bool padded, class Scalar, class Stored>
void tile_row(const Scalar* x, int64_t x_stride, const Stored* w, int64_t in, Scalar* y, int64_t y_stride,
              int64_t begin, int64_t end) {
  int64_t o = begin;
  for (; o + kTileOutputs <= end; o += kTileOutputs)
    tile<T, kTileOutputs, padded>(x, x_stride, w + o * in, in, y + o, y_stride);
  for (; o < end; ++o) tile<T, 1, padded>(x, x_stride, w + o * in, in, y + o, y_stride);
}

template <bool padded, class Scalar, class Stored>
void product(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const Stored* w, int64_t begin, int64_t end) {
  constexpr int kTokens = kTileTokens<Scalar>;
  for (int64_t panel = begin; panel < end; panel += kPanelOutputs) {
    const int64_t panel_end = std::min(end, panel + kPanelOutputs);
    int64_t t = 0;
    for (; t + kTokens <= x.rows; t += kTokens)
      tile_row<kTokens, padded>(x.row(t), x.stride, w, x.cols, y.row(t), y.stride, panel, panel_end);
    for (; t < x.rows; ++t) tile_row<1, padded>(x.row(t), x.stride, w, x.cols, y.row(t), y.stride, panel, panel_end);
  }
}

// Outputs begin .. end of y = x w^T, and what that took.
template <class Scalar>
void product(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const WeightMatrix& w, int64_t begin, int64_t end,
             const Run& run) {
  with_stored_type(w.dtype, [&](auto* type) {
    const auto* weights = reinterpret_cast<decltype(type)>(w.data);
    if (x.cols % kLanes<Scalar> == 0) {
      product<false>(y, x, weights, begin, end);
    } else {
      product<true>(y, x, weights, begin, end);
    }
  });
  run.count(&Counters::matmul_flops, 2 * x.rows * x.cols * (end - begin));
  run.count(&Counters::weight_bytes, x.cols * (end - begin) * bytes_of(w.dtype));
}

template <class Scalar>
void add_bias(const MutableRows<Scalar>& y, const WeightMatrix& bias, const Run& run) {
  expect_shape(bias.name, {bias.rows, bias.cols}, {1, y.cols});
  with_stored_type(bias.dtype, [&](auto* type) {
    const auto* values = reinterpret_cast<decltype(type)>(bias.data);
    for (int64_t t = 0; t < y.rows; ++t)
      for (int64_t o = 0; o < y.cols; ++o) y.row(t)[o] += static_cast<Scalar>(widen(values[o]));
  });
  run.count(&Counters::other_flops, y.rows * y.cols);
  run.count(&Counters::weight_bytes, bias.bytes());
}

}  // namespace

template <class Scalar>
Matrix<Scalar> linear(Rows<Scalar> x, const WeightMatrix& w, const Run& run) {
  expect_shape(w.name, {w.rows, w.cols}, {w.rows, x.cols});
  Matrix<Scalar> y(x.rows, w.rows);
  if (x.rows == 0) return y;
  const MutableRows<Scalar> out(y);
  const int64_t tiles = (run.team.worthwhile(x.rows * x.cols) + kTileOutputs - 1) / kTileOutputs;
  run.team.split(w.rows, tiles * kTileOutputs,
                 [&](int64_t begin, int64_t end) { product(out, x, w, begin, end, run); });
  return y;
}

template <class Scalar>
Matrix<Scalar> linear(Rows<Scalar> x, const WeightMatrix& w, const WeightMatrix& bias, const Run& run) {
  Matrix<Scalar> y = linear(x, w, run);
  if (bias.present()) add_bias<Scalar>(y, bias, run);
  return y;
}

template <class Scalar>
void linear_into(MutableRows<Scalar> y, Rows<Scalar> x, const WeightMatrix& w, const Run& run) {
  expect_shape(w.name, {w.rows, w.cols}, {y.cols, x.cols});
  product(y, x, w, 0, w.rows, run);
}

template <class Scalar>
void linear_transposed_into(MutableRows<Scalar> y, Rows<Scalar> x, const WeightMatrix& w, const Run& run) {
  expect_shape(w.name, {w.rows, w.cols}, {x.cols, y.cols});
  with_stored_type(w.dtype, [&](auto* type) {
    const auto* weights = reinterpret_cast<decltype(type)>(w.data);
    for (int64_t t = 0; t < x.rows; ++t)
      for_each_step<Scalar>(w.cols, [&](int64_t i, int64_t count) {
        Lanes<Scalar> sum = zero_lanes<Scalar>();
        for (int64_t o = 0; o < w.rows; ++o)
          sum = fused(all_lanes(x.row(t)[o]), load_step<Scalar>(weights + o * w.cols + i, count), sum);
        store_step(y.row(t) + i, sum, count);
      });
  });
  run.count(&Counters::matmul_flops, 2 * x.rows * w.rows * w.cols);
  run.count(&Counters::weight_bytes, w.bytes());
}

template Matrix<float> linear(Rows<float>, const WeightMatrix&, const Run&);
template Matrix<double> linear(Rows<double>, const WeightMatrix&, const Run&);
template Matrix<float> linear(Rows<float>, const WeightMatrix&, const WeightMatrix&, const Run&);
template Matrix<double> linear(Rows<double>, const WeightMatrix&, const WeightMatrix&, const Run&);
template void linear_into(MutableRows<float>, Rows<float>, const WeightMatrix&, const Run&);
template void linear_into(MutableRows<double>, Rows<double>, const WeightMatrix&, const Run&);
template void linear_transposed_into(MutableRows<float>, Rows<float>, const WeightMatrix&, const Run&);
template void linear_transposed_into(MutableRows<double>, Rows<double>, const WeightMatrix&, const Run&);

}  // namespace kv::cpu
