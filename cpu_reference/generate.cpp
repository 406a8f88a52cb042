#include "cpu_reference/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

#include "cpu_reference/layer.h"
#include "model/error.h"
#include "model/hash.h"

namespace kv::cpu {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Logits of the next token, whichever way they are come by.
class NextLogits {
 public:
  NextLogits(const Model& model, const GenerateOptions& options, int64_t capacity, const Run& run)
      : model_(model), options_(options), run_(run) {
    if (options.cache == CacheUse::on) cache_.emplace(model.config, capacity, options.cache_dtype);
  }

  Matrix<float> read_prompt(std::span<const int32_t> prompt) {
    if (!cache_) return recompute(prompt);
    Matrix<float> logits;
    size_t done = 0, piece = 0;
    while (done < prompt.size()) {
      size_t size = prompt.size();
      if (!options_.chunks.empty())
        size = static_cast<size_t>(options_.chunks[std::min(piece++, options_.chunks.size() - 1)]);
      const auto part = prompt.subspan(done, std::min(size, prompt.size() - done));
      done += part.size();
      const LogitRows wanted = done == prompt.size() ? LogitRows::last : LogitRows::none;
      logits = prefill<float>(model_, part, *cache_, options_.form, wanted, run_);
    }
    return logits;
  }

  Matrix<float> after(std::span<const int32_t> all_tokens) {
    if (!cache_) return recompute(all_tokens);
    return decode_step<float>(model_, all_tokens.back(), *cache_, options_.form, run_);
  }

  int64_t kv_bytes() const { return cache_ ? cache_->kv_bytes() : 0; }

 private:
  Matrix<float> recompute(std::span<const int32_t> tokens) const {
    return forward_without_cache<float>(model_, tokens, options_.cache_dtype, options_.form, LogitRows::last, run_);
  }

  const Model& model_;
  const GenerateOptions& options_;
  const Run& run_;
  std::optional<KvCache> cache_;
};

}  // namespace

void require_room(int64_t prompt_tokens, const GenerateOptions& options, const ModelConfig& config) {
  const int64_t fed = prompt_tokens + options.tokens - 1;
  if (fed > config.max_context)
    throw std::invalid_argument(
        fmt::format("{} prompt tokens and {} to generate need {} positions, but the model's context is {}",
                    prompt_tokens, options.tokens, fed, config.max_context));
  if (options.cache == CacheUse::on && options.capacity > 0 && fed > options.capacity)
    throw CacheFull(fmt::format("{} prompt tokens and {} to generate need {} cache slots, but the capacity is {}",
                                prompt_tokens, options.tokens, fed, options.capacity));
}

Generation generate(const Model& model, std::span<const int32_t> prompt, const GenerateOptions& options,
                    Sampler& sampler, const std::function<void(int32_t)>& on_token, const Run& given) {
  require_tokens(prompt, 0, model.config);
  if (options.tokens < 1) throw std::invalid_argument(fmt::format("cannot generate {} tokens", options.tokens));
  for (const int64_t chunk : options.chunks)
    if (chunk < 1) throw std::invalid_argument(fmt::format("a prefill chunk of {} tokens", chunk));
  require_room(std::ssize(prompt), options, model.config);

  Trace counters;  // bytes and FLOPs are always counted
  Run run = given;
  if (run.trace == nullptr) run.trace = &counters;
  const int64_t capacity = options.capacity > 0 ? options.capacity : std::ssize(prompt) + options.tokens - 1;
  NextLogits next(model, options, capacity, run);

  Generation made;
  Fnv1a hash;
  std::vector<int32_t> all(prompt.begin(), prompt.end());
  auto start = std::chrono::steady_clock::now();
  Matrix<float> logits = next.read_prompt(prompt);
  made.prefill_seconds = seconds_since(start);
  made.prefill = run.trace->total();

  start = std::chrono::steady_clock::now();
  while (true) {
    const std::span<const float> row(logits.data(), static_cast<size_t>(logits.cols()));
    hash.add(std::as_bytes(row));
    const int32_t token = sampler.next(row, options.excluded);
    made.tokens.push_back(token);
    all.push_back(token);
    if (on_token) on_token(token);
    const auto& ends = model.config.end_tokens;
    if (options.stop_at_end && std::find(ends.begin(), ends.end(), token) != ends.end()) break;
    if (std::ssize(made.tokens) == options.tokens) break;
    logits = next.after(all);
    ++made.decode_steps;
  }
  made.decode_seconds = seconds_since(start);
  made.decode = run.trace->total();
  made.decode -= made.prefill;
  made.kv_bytes = next.kv_bytes();
  made.logits_hash = hash.value();
  return made;
}

}  // namespace kv::cpu
