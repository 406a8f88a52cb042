// Recorder: makes one lane's recording, step by step, on the thread that calls it.
//
// All memory of a recording is reserved when it begins. A step is complete before it is published under the mutex, and
// nothing that a view points to is written again or moves, so views need no lock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cpu_reference/team.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

class Recorder {
 public:
  // At most so many decode steps; 0: until the capacity is reached. Throws std::invalid_argument when the prompt is
  // empty or does not fit the capacity.
  explicit Recorder(std::shared_ptr<const LaneFacts> facts, int64_t most_steps = 0);

  // What is complete now. Any thread.
  LaneView view() const;
  const LaneFacts& facts() const { return *facts_; }
  int64_t most_steps() const { return most_steps_; }
  // Whether the step is still to be recorded: neither is it there, nor has the lane stopped. Any thread.
  bool lacks(int64_t step) const;

  // The next piece of the prompt (at most kPromptPiece tokens), or the next decode step with the likeliest token; false
  // when the lane has stopped, which the view tells: the capacity is reached, or the steps that were asked for, or
  // there was an error.
  static constexpr int64_t kPromptPiece = 128;
  bool advance(cpu::Team& team);
  // Goes back to step `step` and makes `token` the next one; the steps behind it are forgotten. No other thread may
  // hold a view. Throws std::out_of_range for a step that is not recorded, std::invalid_argument for no token.
  void branch(int64_t step, int32_t token);
  // Times the step that ends at `context` without the cache (and checks nothing: identity is the tests' affair).
  // Throws std::out_of_range for a context that is not recorded.
  void run_without_cache(int64_t context, cpu::Team& team);
  void set_machine(const Speeds& speeds);

  // A recording as a file holds it, to go on from. What is restored has been checked by the reader of the file.
  struct Restored {
    std::vector<int32_t> tokens;  // [positions stored]
    std::vector<Step> steps;
    Step prompt_so_far;                                    // while the prompt is read
    std::vector<std::vector<std::vector<float>>> queries;  // [steps][layers][heads * key_head_dim]
    std::vector<StepWithoutCache> without_cache;
    std::optional<int32_t> forced;
    std::string stopped;
    bool failed = false;
    std::optional<Speeds> machine;
  };
  // Appends stored rows of one layer, and then makes them count.
  void restore(Restored restored, const std::function<void(cpu::KvCache& cache, const cpu::Run& run)>& append_rows,
               cpu::Team& team);
  // What a view does not show: of the prompt, while it is read, and the token that a branch made the next one.
  Step prompt_so_far() const { return prompt_so_far_; }
  std::optional<int32_t> forced() const { return forced_; }

 private:
  void read_piece(cpu::Team& team);
  void decode(cpu::Team& team);
  void fail(std::string why);
  std::string why_no_more() const;
  std::vector<std::vector<float>> last_queries(const Trace& trace) const;

  const std::shared_ptr<const LaneFacts> facts_;
  const int64_t most_steps_;
  const std::shared_ptr<KvStore> store_;
  Step prompt_so_far_;             // the pieces that are read, together
  std::optional<int32_t> forced_;  // the next token, whatever is likeliest

  mutable std::mutex mutex_;     // guards what is published
  std::vector<int32_t> tokens_;  // [capacity], of which those that are stored count
  std::vector<Step> steps_;      // reserved
  int64_t prompt_read_ = 0;
  std::vector<StepWithoutCache> without_cache_;
  std::string stopped_;
  bool failed_ = false;
  std::optional<Speeds> machine_;
};

}  // namespace kv::viewer
