// Sampler: the next token from the logits of one position.
//
// Temperature first, then the top_k likeliest, then the smallest set of them that holds top_p of the probability, as in
// Hugging Face transformers. Probabilities are computed in double from our own generator, so that a seed gives the same
// text everywhere.
#pragma once

#include <cstdint>
#include <span>

#include "model/random.h"

namespace kv {

struct SamplerSettings {
  double temperature = 0;  // 0: the likeliest token, always
  int64_t top_k = 0;       // 0: all
  double top_p = 1;        // 1: all
  uint64_t seed = 0;
};

class Sampler {
 public:
  // Throws std::invalid_argument that names the setting.
  explicit Sampler(const SamplerSettings& settings);

  // The index of the chosen logit. Ties go to the lowest. `excluded` ids are never chosen; those beyond the logits do
  // not matter. Throws std::invalid_argument for NaN or +infinity, and when nothing is left to choose.
  int32_t next(std::span<const float> logits, std::span<const int32_t> excluded = {});

 private:
  SamplerSettings settings_;
  Random random_;
};

}  // namespace kv
