// Candidates: what may come next, and how likely the model takes it to be.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "viewer/session/recording.h"

namespace kv::viewer {

// The likeliest tokens that are not excluded, descending, ties to the lowest id; token -1 behind the last. Their
// probabilities are shares of all logits, excluded ones included: what the model says, not what is left.
// Throws std::invalid_argument for NaN or +infinity, and when there is no candidate at all.
std::array<Candidate, kCandidates> likeliest_of(std::span<const float> logits, std::span<const int32_t> excluded);

}  // namespace kv::viewer
