// The embedding: a token's row of the table.
#pragma once

#include <cstdint>
#include <span>

#include "cpu_reference/run.h"
#include "model/weights.h"

namespace kv::cpu {

// [tokens] -> [tokens, model_dim]. Throws std::invalid_argument, naming id and table, before it reads outside the
// table.
template <class Scalar>
Matrix<Scalar> embed(std::span<const int32_t> tokens, const WeightMatrix& table, const Run& run);

}  // namespace kv::cpu
