// How many parameters a model has, part by part, from its config alone. What each family has is written in its config:
// for models that run, the count equals the tensors that loading asks for.
#pragma once

#include <cstdint>

#include "model/config.h"

namespace kv {

struct ParameterCount {
  int64_t embedding = 0;       // of tokens, and of positions where they are learned
  int64_t attention = 0;       // projections, their biases, sinks
  int64_t feed_forward = 0;    // of layers without experts
  int64_t experts = 0;         // all of them, with routers and shared networks
  int64_t active_experts = 0;  // of which one token runs
  int64_t norms = 0;           // of layers, heads and latents, and the last one
  int64_t head = 0;            // 0 when it is the embedding

  int64_t total() const { return embedding + attention + feed_forward + experts + norms + head; }
  // What takes part in one token's pass: everything but the experts that it does not use.
  int64_t active() const { return total() - experts + active_experts; }
};

// Throws std::invalid_argument with config.unknown_parameters where there is such a sentence, and std::overflow_error
// when there are more parameters than 64 bits can give the bytes of.
ParameterCount count_parameters(const ModelConfig& config);

inline int64_t parameter_count(const ModelConfig& config) { return count_parameters(config).total(); }

}  // namespace kv
