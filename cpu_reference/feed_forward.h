// The feed-forward network with a SwiGLU gate (arXiv 2002.05202): down(silu(gate(x)) * up(x)), silu(z) = z / (1 +
// exp(-z)).
#pragma once

#include "cpu_reference/run.h"
#include "model/weights.h"

namespace kv::cpu {

// [tokens, model_dim] -> [tokens, model_dim]
template <class Scalar>
Matrix<Scalar> feed_forward(Rows<Scalar> x, const LayerWeights& weights, const Run& run);

}  // namespace kv::cpu
