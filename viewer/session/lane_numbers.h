// LaneNumbers: what is written beside a lane at one step, each from one place: counted while it ran, timed, or
// predicted by the cost model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct LaneNumbers {
  int64_t context = 0;
  int64_t kv_bytes = 0;     // stored after the step
  int64_t token_bytes = 0;  // that the newest token added
  double ratio_to_mha = 1;  // kv_bytes over what the same model would store with one K and one V per query head
  // Of the step, counted.
  int64_t flops = 0;
  int64_t scan_flops = 0;       // of which attention over the context: grows with it
  int64_t new_token_flops = 0;  // the rest: does not
  int64_t cache_bytes_written = 0, cache_bytes_read = 0, weight_bytes = 0;
  // The same step without the cache, predicted.
  int64_t flops_without_cache = 0;
  std::optional<StepWithoutCache> ran_without_cache;  // at this very context
  Timing time;
  std::optional<double> predicted_seconds;  // by the roofline with this machine's speeds
};
// Throws std::out_of_range for a step that is not recorded.
LaneNumbers numbers_of(const LaneView& lane, int64_t step);

// FLOPs of a recorded or coming step, predicted (which tests show to be what is counted): step 0 is the prefill.
struct StepFlops {
  int64_t new_token = 0, scan = 0;
};
StepFlops predicted_flops(const ModelConfig& config, int64_t prompt, int64_t step, bool cache);

// The same numbers for a model that does not run here, all predicted; `weights` in bf16.
LaneNumbers predicted_numbers(const ModelConfig& config, int64_t prompt, int64_t step, Dtype cache_dtype);

// "at the size of": four models of one shape that differ in their attention as the small ones do.
struct SizeOf {
  std::string name;                 // "Llama-3-8B"
  std::vector<std::string> labels;  // MHA, GQA, MQA, MLA
  std::vector<ModelConfig> variants;
  size_t published = 0;  // the variant that is the model itself; the others nobody has trained

  std::string origin_of(size_t variant) const { return variant == published ? name + " itself" : "hypothetical"; }
};
const std::vector<SizeOf>& sizes_to_compare();  // Llama-3-8B, Llama-3-70B, DeepSeek-V3

}  // namespace kv::viewer
