// Recording: what one model did, step by step, and all that it stored: the one source of everything that is drawn.
//
// Step 0 is the prefill, step n the n-th decode step; after step n the model has stored prompt + n tokens. A step keeps
// its token, counters and time, and the queries of its last row. Keys and values are kept once, by position (KvStore).
// Attention weights and the contents of a window's ring follow from these and are computed when they are looked at.
//
// A recording grows at its end only. Readers hold a LaneView, a snapshot of what was complete when it was taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/files/load_model.h"
#include "model/roofline.h"
#include "model/trace.h"

namespace kv::viewer {

class KvStore;

// A token that may come next.
struct Candidate {
  int32_t token = -1;
  double probability = 0;  // softmax of the logits, temperature 1
};
inline constexpr size_t kCandidates = 5;

// Seconds of one piece of work that was timed `takes` times; 0 takes: not timed.
struct Timing {
  double median = 0, least = 0, most = 0;
  int takes = 0;
};

struct Step {
  int64_t first_position = 0;  // of the call's first token
  int64_t tokens = 0;          // the whole prompt in step 0, else 1
  Counters counted;            // counted while it ran, not predicted
  Timing time;
  std::array<Candidate, kCandidates> likeliest;  // to come next, descending; token -1 where the vocabulary ends

  // Tokens stored after it.
  int64_t context() const { return first_position + tokens; }
};

// The same step without a cache, really run.
struct StepWithoutCache {
  int64_t context = 0;
  Counters counted;
  Timing time;
};

// What does not change while a lane is recorded.
struct LaneFacts {
  std::string name;   // as the reader called it: "austen-mha"
  std::string label;  // "MHA", "GQA", "MQA", "MLA"; the name beside another model of its kind; "MHA 2"
  std::filesystem::path path;
  std::shared_ptr<const LoadedModel> model;
  std::vector<int32_t> prompt;
  Dtype cache_dtype = Dtype::bf16;
  int64_t capacity = 0;                          // positions that may be stored
  std::optional<double> held_out_bits_per_byte;  // measured when the model was trained, from held_out.json beside it
  std::vector<int32_t> excluded;                 // never chosen: ids without text, and end tokens

  const ModelConfig& config() const { return model->config; }
};

// A lane as it is at one moment. Valid until the session branches or starts anew.
struct LaneView {
  std::shared_ptr<const LaneFacts> facts;
  std::span<const int32_t>
      tokens;  // [steps.back().context()] the token at each position; while the prompt is read: prompt_read of them
  std::span<const Step> steps;  // empty while the prompt is read
  std::shared_ptr<const KvStore> store;
  int64_t prompt_read = 0;                      // positions of the prompt that are stored so far
  std::vector<StepWithoutCache> without_cache;  // by context, ascending
  std::string stopped;            // why no step follows, as a sentence: full, as many as asked for, or failed
  bool failed = false;            // it stopped for an error
  std::optional<Speeds> machine;  // this machine's, measured; nothing yet: not measured

  const ModelConfig& config() const { return facts->config(); }
  int64_t last_step() const { return std::ssize(steps) - 1; }
  // Tokens stored after step n, or while the prompt is read so far.
  int64_t context_at(int64_t step) const {
    return steps.empty() ? prompt_read : steps[static_cast<size_t>(std::min(step, last_step()))].context();
  }
};

struct RunView {
  std::vector<LaneView> lanes;
  std::string prompt;  // the text that all lanes continue

  // The furthest step that any lane has recorded; -1: none yet.
  int64_t last_step() const;
};

}  // namespace kv::viewer
