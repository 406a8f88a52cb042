// Rotary position embedding (arXiv 2104.09864): each pair of a query's or key's values is turned by an angle that grows
// with the position, so that query . key depends on the distance between the two.
//
// A key is rotated once, by its own position, before it is stored; it is never turned again.
#pragma once

#include <vector>

#include "cpu_reference/run.h"
#include "model/config.h"

namespace kv::cpu {

// Turns per position of each pair, [dim / 2], with the config's scaling (linear; llama3; yarn, arXiv 2309.00071,
// section 3.2).
std::vector<double> rope_frequencies(const RopeConfig& config);

// Factor that yarn puts on cos and sin: the config's, or mscale's, or 0.1 ln(factor) + 1. Otherwise 1.
double rope_magnitude(const RopeConfig& config);

// cos and sin of positions first .. first + tokens, each [tokens, dim / 2], computed in double and then rounded once.
template <class Scalar>
struct RopeTable {
  Matrix<Scalar> cos, sin;
};
template <class Scalar>
RopeTable<Scalar> rope_table(const RopeConfig& config, int64_t first_position, int64_t tokens);

// Turns one part of every head, in place: x [tokens, heads * head_dim], values offset .. offset + dim of each head.
template <class Scalar>
void rotate(MutableRows<Scalar> x, int64_t head_dim, int64_t offset, const RopeTable<Scalar>& table,
            RopeConfig::Pairing pairing, const Run& run);

}  // namespace kv::cpu
