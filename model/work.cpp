#include "model/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/checked.h"

namespace kv {

namespace {

// Each call of a prefill is added up by itself; more than these would take long and teach nothing.
constexpr int64_t kMostCalls = 100'000;

void demand_positive(const char* what, int64_t value) {
  if (value <= 0) throw std::invalid_argument(fmt::format("{} is {}, expected 1 or more", what, value));
}

}  // namespace

Call decode_step_call(int64_t context, const Setting& setting) {
  demand_positive("the context", context);
  if (setting.cache == CacheWork::on) return {context - 1, 1, 1, setting.batch, setting.cache, setting.form};
  return {0, context, 1, setting.batch, setting.cache, setting.form};
}

Cost decode_step_cost(const ModelConfig& config, int64_t context, const Setting& setting) {
  return call_cost(config, decode_step_call(context, setting), setting.storage);
}

std::vector<Call> prefill_calls(int64_t tokens, std::span<const int64_t> chunks, const Setting& setting) {
  demand_positive("the prompt", tokens);
  for (const int64_t chunk : chunks) demand_positive("a chunk", chunk);
  const bool in_one = chunks.empty() || setting.cache == CacheWork::off;
  if (!in_one && tokens / chunks.back() > kMostCalls)
    throw std::invalid_argument(fmt::format("{} tokens in calls of {} are more than {} calls: take larger chunks",
                                            tokens, chunks.back(), kMostCalls));
  std::vector<Call> calls;
  for (int64_t done = 0; done < tokens;) {
    const int64_t size = in_one ? tokens : chunks[std::min(calls.size(), chunks.size() - 1)];
    const int64_t piece = std::min(size, tokens - done);
    calls.push_back({done, piece, done + piece == tokens ? 1 : 0, setting.batch, setting.cache, setting.form});
    done += piece;
  }
  return calls;
}

Cost prefill_cost(const ModelConfig& config, int64_t tokens, std::span<const int64_t> chunks, const Setting& setting) {
  Cost cost;
  for (const Call& call : prefill_calls(tokens, chunks, setting)) cost += call_cost(config, call, setting.storage);
  return cost;
}

Cost generation_cost(const ModelConfig& config, int64_t prompt, int64_t generated, const Setting& setting) {
  demand_positive("the number of tokens", generated);
  Cost cost = prefill_cost(config, prompt, {}, setting);
  for (int64_t step = 1; step < generated; ++step)
    cost += decode_step_cost(config, checked_sum({prompt, step}), setting);
  return cost;
}

}  // namespace kv
