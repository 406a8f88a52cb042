// Root-mean-square norm (arXiv 1910.07467): y = x / sqrt(mean(x^2) + eps) * gain.
#pragma once

#include "cpu_reference/run.h"
#include "model/weights.h"

namespace kv::cpu {

// [rows, dim], gain [1, dim] -> [rows, dim], each row on its own.
template <class Scalar>
Matrix<Scalar> rms_norm(Rows<Scalar> x, const WeightMatrix& gain, double eps, const Run& run);

// The same for each head of each token: x [tokens, heads * head_dim], gain [1, head_dim].
template <class Scalar>
Matrix<Scalar> rms_norm_heads(const Matrix<Scalar>& x, const WeightMatrix& gain, double eps, const Run& run);

}  // namespace kv::cpu
