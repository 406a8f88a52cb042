// LaneReader: what one lane's tensors and JSON in a run's file say, checked against the model that they name before
// anything is made of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "model/files/json.h"
#include "model/files/printable.h"
#include "viewer/session/fingerprint.h"
#include "viewer/session/recorder.h"
#include "viewer/session/run_tensors.h"

namespace kv::viewer {

class LaneReader {
 public:
  LaneReader(const RunTensors& tensors, const LaneFacts& facts, size_t index)
      : tensors_(tensors), facts_(facts), lane_(fmt::format("lane.{}.", index)) {}

  Recorder::Restored read(const JsonValue& json) const {
    Recorder::Restored restored;
    check_model(json);
    restored.tokens = tensors_.values<int32_t>(lane_ + "tokens", {-1});
    restored.steps = tensors_.records<Step>(lane_ + "steps");
    restored.without_cache = tensors_.records<StepWithoutCache>(lane_ + "without_cache");
    const std::vector<Step> so_far = tensors_.records<Step>(lane_ + "prompt_so_far");
    demand(so_far.size() == 1, "prompt_so_far is not one record");
    restored.prompt_so_far = so_far.front();
    check_tokens(restored.tokens);
    check_steps(restored);
    check_without_cache(restored);
    check_store(std::ssize(restored.tokens));
    restored.queries = queries(std::ssize(restored.steps));

    restored.stopped = json.at("stopped").text();
    restored.failed = json.at("failed").boolean();
    if (const auto forced = json.find("forced"))
      restored.forced = static_cast<int32_t>(forced->integer(0, facts_.config().vocab - 1));
    if (const auto machine = json.find("machine"))
      restored.machine = Speeds{machine->at("bytes_per_second").number(), machine->at("flops_per_second").number()};
    return restored;
  }

  // The stored rows into the cache, which rounds to what they were: they are widened numbers of its own type.
  void append_rows(cpu::KvCache& cache, int64_t positions, const cpu::Run& run) const {
    for (int64_t layer = 0; layer < facts_.config().layers; ++layer) {
      const LayerCache& of = facts_.config().layer_cache[static_cast<size_t>(layer)];
      if (of.kind == LayerCache::Kind::per_head) {
        const int64_t key = of.kv_heads * of.key_head_dim, value = of.kv_heads * of.value_head_dim;
        const std::vector<float> keys = rows(layer, "keys", {positions, of.kv_heads, of.key_head_dim});
        const std::vector<float> values = rows(layer, "values", {positions, of.kv_heads, of.value_head_dim});
        cache.append<float>(layer, {keys.data(), positions, key, key}, {values.data(), positions, value, value}, run);
      } else if (of.kind == LayerCache::Kind::latent) {
        const int64_t dim = of.latent_dim + of.rope_dim;
        const std::vector<float> latents = rows(layer, "latents", {positions, dim});
        cache.append_latent<float>(layer, {latents.data(), positions, of.latent_dim, dim},
                                   {latents.data() + of.latent_dim, positions, of.rope_dim, dim}, run);
      }
    }
  }

 private:
  static constexpr int kMostTakes = 1000;

  void demand(bool holds, const std::string& what) const { tensors_.demand(holds, lane_ + what); }

  void check_model(const JsonValue& json) const {
    const std::string expected = json.at("fingerprint").text();
    const std::string found = fmt::format("{:016x}", fingerprint(*facts_.model));
    if (found != expected)
      tensors_.fail(fmt::format("{} ({}) is not the model that was recorded: its fingerprint is {}, expected {}",
                                facts_.name, facts_.path.string(), found, printable(expected)));
    demand(tensors_.values<int32_t>(lane_ + "prompt", {-1}) == facts_.prompt,
           "prompt is not what the model's tokenizer makes of the run's prompt");
    demand(!facts_.prompt.empty() && std::ssize(facts_.prompt) <= facts_.capacity, "prompt does not fit the capacity");
  }

  void check_tokens(const std::vector<int32_t>& tokens) const {
    demand(std::ssize(tokens) <= facts_.capacity, "tokens are more than the capacity");
    for (const int32_t token : tokens)
      demand(token >= 0 && token < facts_.config().vocab, fmt::format("tokens hold {}, which is no token", token));
    const size_t prompt = std::min(tokens.size(), facts_.prompt.size());
    demand(std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(prompt), facts_.prompt.begin()),
           "tokens do not begin with the prompt");
  }

  void check_time(const Timing& time) const {
    for (const double seconds : {time.median, time.least, time.most})
      demand(std::isfinite(seconds) && seconds >= 0, fmt::format("times hold {}", seconds));
    demand(time.takes >= 0 && time.takes <= kMostTakes, fmt::format("times were taken {} times", time.takes));
  }

  void check_candidates(const Step& step) const {
    demand(step.likeliest.front().token >= 0, "steps hold one without a candidate");
    for (const Candidate& candidate : step.likeliest)
      demand(candidate.token >= -1 && candidate.token < facts_.config().vocab && candidate.probability >= 0 &&
                 candidate.probability <= 1,
             fmt::format("steps hold candidate {} with probability {}", candidate.token, candidate.probability));
  }

  void check_steps(const Recorder::Restored& restored) const {
    const int64_t prompt = std::ssize(facts_.prompt), stored = std::ssize(restored.tokens);
    check_time(restored.prompt_so_far.time);
    if (restored.steps.empty()) return demand(stored <= prompt, "tokens go beyond the prompt, but there are no steps");
    int64_t next = 0;
    for (const Step& step : restored.steps) {
      const int64_t tokens = next == 0 ? prompt : 1;
      demand(step.first_position == next && step.tokens == tokens,
             fmt::format("steps hold {} tokens from position {}, expected {} from {}", step.tokens, step.first_position,
                         tokens, next));
      check_time(step.time);
      check_candidates(step);
      next += tokens;
    }
    demand(next == stored, fmt::format("steps end at {} positions, but {} are stored", next, stored));
  }

  void check_without_cache(const Recorder::Restored& restored) const {
    int64_t before = 0;
    for (const StepWithoutCache& ran : restored.without_cache) {
      demand(ran.context > before && ran.context <= std::ssize(restored.tokens),
             fmt::format("without_cache holds context {} after {}", ran.context, before));
      check_time(ran.time);
      before = ran.context;
    }
  }

  void check_store(int64_t positions) const {
    for (int64_t layer = 0; layer < facts_.config().layers; ++layer) {
      const LayerCache& of = facts_.config().layer_cache[static_cast<size_t>(layer)];
      const std::string name = fmt::format("{}layer.{}.", lane_, layer);
      if (of.kind == LayerCache::Kind::per_head) {
        tensors_.checked(name + "keys", "F32", {positions, of.kv_heads, of.key_head_dim});
        tensors_.checked(name + "values", "F32", {positions, of.kv_heads, of.value_head_dim});
      } else if (of.kind == LayerCache::Kind::latent) {
        tensors_.checked(name + "latents", "F32", {positions, of.latent_dim + of.rope_dim});
      }
    }
  }

  std::vector<std::vector<std::vector<float>>> queries(int64_t steps) const {
    const ModelConfig& config = facts_.config();
    std::vector<int64_t> sizes;
    int64_t sum = 0;
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      const bool attends = config.layer_cache[static_cast<size_t>(layer)].kind != LayerCache::Kind::none;
      sizes.push_back(attends ? config.sizes_of(layer).heads * config.key_head_dim : 0);
      sum += sizes.back();
    }
    const std::vector<float> all = tensors_.values<float>(lane_ + "queries", {steps, steps > 0 ? sum : 0});
    std::vector<std::vector<std::vector<float>>> queries(static_cast<size_t>(steps));
    const float* at = all.data();
    for (auto& of_step : queries)
      for (const int64_t size : sizes) {
        of_step.emplace_back(at, at + size);
        at += size;
      }
    return queries;
  }

  std::vector<float> rows(int64_t layer, const char* what, std::vector<int64_t> shape) const {
    return tensors_.values<float>(fmt::format("{}layer.{}.{}", lane_, layer, what), std::move(shape));
  }

  const RunTensors& tensors_;
  const LaneFacts& facts_;
  std::string lane_;
};

}  // namespace kv::viewer
