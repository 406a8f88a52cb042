// The product with a weight matrix, batch-invariant: the bits of a row of y do not depend on how many rows stand beside
// it, on the tile it fell in, or on the thread that computed it. That is what makes a cached step equal a full
// recomputation.
#pragma once

#include "cpu_reference/run.h"
#include "cpu_reference/tensor.h"
#include "model/weights.h"

namespace kv::cpu {

// y[t][o] = bias[o] + sum over i of x[t][i] * w[o][i]     [tokens, in] -> [tokens, out], w [out, in] in any stored
// type. Throws std::invalid_argument, naming w, when the shapes do not fit.
template <class Scalar>
Matrix<Scalar> linear(Rows<Scalar> x, const WeightMatrix& w, const Run& run);
template <class Scalar>
Matrix<Scalar> linear(Rows<Scalar> x, const WeightMatrix& w, const WeightMatrix& bias, const Run& run);

// The same into given rows, by the calling thread alone: for products that are one head wide.
template <class Scalar>
void linear_into(MutableRows<Scalar> y, Rows<Scalar> x, const WeightMatrix& w, const Run& run);

// y[t][i] = sum over o of x[t][o] * w[o][i], o ascending   [tokens, out] -> [tokens, in], w [out, in].
// By the calling thread alone. Absorbed latent attention turns a query into the latent space with it.
template <class Scalar>
void linear_transposed_into(MutableRows<Scalar> y, Rows<Scalar> x, const WeightMatrix& w, const Run& run);

}  // namespace kv::cpu
