#include "cpu_reference/linear.h"

#include <algorithm>
#include <memory>

#include "cpu_reference/lanes.h"
#include "model/blocks.h"

namespace kv::cpu {

namespace {

// A tile is T tokens by O outputs, whose sums stay in registers: T * O of them, O for the weights, one for the tokens.
template <class Scalar>
inline constexpr int kTileTokens = kLanes<Scalar> == 16 ? 6 : 2;
inline constexpr int kTileOutputs = 4;
// Outputs whose weights are reused for all tokens while they stay in the second-level cache.
inline constexpr int64_t kPanelOutputs = 64;

// Room for some rows of a matrix of a block type (model/blocks.h), widened; each thread has its own.
template <class Scalar>
class WidenedRows {
 public:
  WidenedRows(int64_t rows, int64_t cols) : values_(new Scalar[static_cast<size_t>(rows * cols)]) {}

  // Rows begin .. end of w, contiguous.
  const Scalar* read(const WeightMatrix& w, int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) widen_row(w.dtype, w.row(r), w.cols, values_.get() + (r - begin) * w.cols);
    return values_.get();
  }

 private:
  std::unique_ptr<Scalar[]> values_;
};

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

// All outputs of a panel for T tokens.
template <int T, bool padded, class Scalar, class Stored>
void tile_row(const Scalar* x, int64_t x_stride, const Stored* w, int64_t in, Scalar* y, int64_t y_stride,
              int64_t outputs) {
  int64_t o = 0;
  for (; o + kTileOutputs <= outputs; o += kTileOutputs)
    tile<T, kTileOutputs, padded>(x, x_stride, w + o * in, in, y + o, y_stride);
  for (; o < outputs; ++o) tile<T, 1, padded>(x, x_stride, w + o * in, in, y + o, y_stride);
}

// y[:, begin .. end] = x w^T, where row 0 of `w` is the weights of output `begin`.
template <bool padded, class Scalar, class Stored>
void panel_product(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const Stored* w, int64_t begin, int64_t end) {
  constexpr int kTokens = kTileTokens<Scalar>;
  int64_t t = 0;
  for (; t + kTokens <= x.rows; t += kTokens)
    tile_row<kTokens, padded>(x.row(t), x.stride, w, x.cols, y.row(t) + begin, y.stride, end - begin);
  for (; t < x.rows; ++t) tile_row<1, padded>(x.row(t), x.stride, w, x.cols, y.row(t) + begin, y.stride, end - begin);
}

template <bool padded, class Scalar>
void product_of_blocks(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const WeightMatrix& w, int64_t begin,
                       int64_t end) {
  // For one token the widened rows should stay in the first-level cache; for many they are worth more.
  const int64_t panel_outputs = x.rows == 1 ? kTileOutputs : kPanelOutputs;
  WidenedRows<Scalar> panel(std::min(panel_outputs, end - begin), w.cols);
  for (int64_t at = begin; at < end; at += panel_outputs) {
    const int64_t panel_end = std::min(end, at + panel_outputs);
    panel_product<padded>(y, x, panel.read(w, at, panel_end), at, panel_end);
  }
}

// Outputs begin .. end of y = x w^T. Weights of a block type are widened first, to the same values in the same order as
// if they were stored so: the bits are those of the widened matrix.
template <bool padded, class Scalar>
void product(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const WeightMatrix& w, int64_t begin, int64_t end) {
  if (is_block_type(w.dtype)) return product_of_blocks<padded>(y, x, w, begin, end);
  with_stored_type(w.dtype, [&]<class Stored>(const Stored*) {
    for (int64_t panel = begin; panel < end; panel += kPanelOutputs)
      panel_product<padded>(y, x, reinterpret_cast<const Stored*>(w.row(panel)), panel,
                            std::min(end, panel + kPanelOutputs));
  });
}

// The same, and what it took.
template <class Scalar>
void counted_product(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const WeightMatrix& w, int64_t begin,
                     int64_t end, const Run& run) {
  if (x.cols % kLanes<Scalar> == 0) {
    product<false>(y, x, w, begin, end);
  } else {
    product<true>(y, x, w, begin, end);
  }
  run.count(&Counters::matmul_flops, 2 * x.rows * x.cols * (end - begin));
  run.count(&Counters::weight_bytes, (end - begin) * w.row_bytes());
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
                 [&](int64_t begin, int64_t end) { counted_product(out, x, w, begin, end, run); });
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
  counted_product(y, x, w, 0, w.rows, run);
}

namespace {

template <class Scalar, class Stored>
void transposed_product(const MutableRows<Scalar>& y, const Rows<Scalar>& x, const Stored* w) {
  for (int64_t t = 0; t < x.rows; ++t)
    for_each_step<Scalar>(y.cols, [&](int64_t i, int64_t count) {
      Lanes<Scalar> sum = zero_lanes<Scalar>();
      for (int64_t o = 0; o < x.cols; ++o)
        sum = fused(all_lanes(x.row(t)[o]), load_step<Scalar>(w + o * y.cols + i, count), sum);
      store_step(y.row(t) + i, sum, count);
    });
}

}  // namespace

template <class Scalar>
void linear_transposed_into(MutableRows<Scalar> y, Rows<Scalar> x, const WeightMatrix& w, const Run& run) {
  expect_shape(w.name, {w.rows, w.cols}, {x.cols, y.cols});
  if (is_block_type(w.dtype)) {
    transposed_product(y, x, WidenedRows<Scalar>(w.rows, w.cols).read(w, 0, w.rows));
  } else {
    with_stored_type(w.dtype, [&]<class Stored>(const Stored*) {
      transposed_product(y, x, reinterpret_cast<const Stored*>(w.data));
    });
  }
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
