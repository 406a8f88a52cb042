#include "cpu_reference/feed_forward.h"

#include "cpu_reference/lanes.h"
#include "cpu_reference/linear.h"

namespace kv::cpu {

namespace {

// gate = silu(gate) * up
template <class Scalar>
void swiglu(Scalar* gate, const Scalar* up, int64_t count) {
  using namespace Eigen::internal;
  for_each_step<Scalar>(count, [&](int64_t i, int64_t width) {
    const Lanes<Scalar> z = load_step<Scalar>(gate + i, width);
    const Lanes<Scalar> one_plus_exp = padd(all_lanes(Scalar(1)), exp_lanes(pnegate(z)));
    store_step(gate + i, pmul(pdiv(z, one_plus_exp), load_step<Scalar>(up + i, width)), width);
  });
}

}  // namespace

template <class Scalar>
Matrix<Scalar> feed_forward(Rows<Scalar> x, const LayerWeights& weights, const Run& run) {
  Matrix<Scalar> gate = linear(x, weights.gate, weights.gate_bias, run);  // [tokens, hidden_dim]
  const Matrix<Scalar> up = linear(x, weights.up, weights.up_bias, run);  // [tokens, hidden_dim]
  run.team.split(gate.rows(), run.team.worthwhile(8 * gate.cols()), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) swiglu(gate.data() + t * gate.cols(), up.data() + t * up.cols(), gate.cols());
    run.count(&Counters::other_flops, (end - begin) * gate.cols() * static_cast<int64_t>(kSwigluFlopsPerValue));
  });
  run.record("gated", gate);
  return linear<Scalar>(gate, weights.down, weights.down_bias, run);
}

template Matrix<float> feed_forward(Rows<float>, const LayerWeights&, const Run&);
template Matrix<double> feed_forward(Rows<double>, const LayerWeights&, const Run&);

}  // namespace kv::cpu
