// Work: the calls, and the sums of their costs, that people ask for: a decode step, a prefill, a whole generation, with
// the cache and without.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/call_cost.h"

namespace kv {

// What does not change in the course of a run.
struct Setting {
  Storage storage;
  CacheWork cache = CacheWork::on;
  LatentWork form = LatentWork::absorbed;
  int64_t batch = 1;
};

// The step that computes position `context` - 1, so that attention looks at `context` positions. Without the cache all
// of them are computed again, and the head runs on the last. Throws std::invalid_argument for a context below 1.
Call decode_step_call(int64_t context, const Setting& setting);
Cost decode_step_cost(const ModelConfig& config, int64_t context, const Setting& setting);

// `tokens` positions of a prompt, in calls of the sizes in `chunks`, of which the last repeats; empty: one call.
// Without the cache it is one call. Logits of the last position alone. Throws std::invalid_argument for sizes below 1,
// and for more than 100,000 calls.
std::vector<Call> prefill_calls(int64_t tokens, std::span<const int64_t> chunks, const Setting& setting);
Cost prefill_cost(const ModelConfig& config, int64_t tokens, std::span<const int64_t> chunks, const Setting& setting);

// A prompt in one piece, then `generated` tokens: the first comes from the prompt's own logits, and the last is not
// fed, so prompt + generated - 1 positions are computed.
Cost generation_cost(const ModelConfig& config, int64_t prompt, int64_t generated, const Setting& setting);

}  // namespace kv
