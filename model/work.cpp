#include "model/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/checked.h"

namespace kv {

namespace {

void demand_positive(const char* what, int64_t value) {
  if (value <= 0) throw std::invalid_argument(fmt::format("{} is {}, expected 1 or more", what, value));
}

Cost cost_of(const ModelConfig& config, int64_t past, int64_t tokens, int64_t logit_rows, const Setting& setting) {
  return call_cost(config, {past, tokens, logit_rows, setting.batch, setting.cache, setting.form}, setting.storage);
}

}  // namespace

Cost decode_step_cost(const ModelConfig& config, int64_t context, const Setting& setting) {
  demand_positive("the context", context);
  return setting.cache == CacheWork::on ? cost_of(config, context - 1, 1, 1, setting)
                                        : cost_of(config, 0, context, 1, setting);
}

Cost prefill_cost(const ModelConfig& config, int64_t tokens, std::span<const int64_t> chunks, const Setting& setting) {
  demand_positive("the prompt", tokens);
  for (const int64_t chunk : chunks) demand_positive("a chunk", chunk);
  if (setting.cache == CacheWork::off || chunks.empty()) return cost_of(config, 0, tokens, 1, setting);
  Cost cost;
  size_t next = 0;
  for (int64_t done = 0; done < tokens;) {
    const int64_t piece = std::min(chunks[std::min(next++, chunks.size() - 1)], tokens - done);
    cost += cost_of(config, done, piece, done + piece == tokens ? 1 : 0, setting);
    done += piece;
  }
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
