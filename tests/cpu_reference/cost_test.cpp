// Predicted equals counted: model/cost against what the reference counts while it runs, to the FLOP and to the byte.
#include "model/call_cost.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cpu_reference/generate.h"
#include "cpu_reference/transformer.h"
#include "model/files/load_model.h"
#include "model/sampler.h"
#include "model/work.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> checkpoints() {
  std::vector<fs::path> found;
  for (const char* folder : {"tests/goldens", "checkpoints"})
    for (const auto& entry : fs::directory_iterator(fs::path(KVLAB_SOURCE_DIR) / folder))
      if (fs::exists(entry.path() / "config.json")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

LatentWork work_of(LatentForm form) {
  return form == LatentForm::absorbed ? LatentWork::absorbed : LatentWork::materialised;
}

std::string shown(const Counters& c) {
  return fmt::format("matmul {} other {} weights {} read {} written {} projections {} pairs {}", c.matmul_flops,
                     c.other_flops, c.weight_bytes, c.cache_bytes_read, c.cache_bytes_written, c.kv_projections,
                     c.score_pairs);
}

// Every layer of a call, and its ends, against the prediction from the shape of the call alone.
void check_call(const ModelConfig& config, const TracedCall& counted, int64_t logit_rows, CacheWork cache,
                LatentForm form, const Storage& storage) {
  const Call call{counted.first_position, counted.tokens, logit_rows, 1, cache, work_of(form)};
  CAPTURE(call.past);
  CAPTURE(call.tokens);
  REQUIRE(std::ssize(counted.layers) == config.layers);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const Counters predicted = as_counters(layer_cost(config, layer, call, storage));
    const Counters& found = counted.layers[static_cast<size_t>(layer)];
    CHECK_MESSAGE(predicted == found, "layer ", layer, "\npredicted ", shown(predicted), "\ncounted   ", shown(found));
  }
  const Counters predicted = as_counters(ends_cost(config, call, storage));
  CHECK_MESSAGE(predicted == counted.ends, "ends\npredicted ", shown(predicted), "\ncounted   ", shown(counted.ends));
  CHECK(as_counters(call_cost(config, call, storage)) == counted.total());
}

// Prefill in one piece, in chunks and token by token, then a step; and all of it without the cache.
void check_model(const Model& model, Dtype weights, int64_t tokens) {
  const std::vector<int32_t> ids = random_tokens(model.config, tokens);
  std::vector<LatentForm> forms = {LatentForm::absorbed};
  if (model.config.has_latent_attention()) forms.push_back(LatentForm::materialised);
  const std::vector<std::vector<int64_t>> splits = {
      {tokens}, {tokens - 4, 4}, {1, tokens - 1}, std::vector<int64_t>(static_cast<size_t>(tokens), 1)};
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16})
    for (const LatentForm form : forms) {
      const Storage storage{weights, dtype, Dtype::f32};
      INFO(model.config.name, ", weights ", std::string(name_of(weights)), ", cache ", std::string(name_of(dtype)),
           ", form ", static_cast<int>(form));
      for (const std::vector<int64_t>& split : splits) {
        Team team(2, 1);
        Trace trace;
        KvCache cache(model.config, tokens, dtype);
        size_t done = 0;
        std::vector<int64_t> rows;  // that the head ran on, call by call
        for (const int64_t count : split) {
          const auto part = std::span(ids).subspan(done, static_cast<size_t>(count));
          const LogitRows wanted = done == 0 ? LogitRows::all : count == 1 ? LogitRows::none : LogitRows::last;
          prefill<float>(model, part, cache, form, wanted, Run{team, &trace});
          rows.push_back(wanted == LogitRows::all ? count : wanted == LogitRows::last ? 1 : 0);
          done += static_cast<size_t>(count);
        }
        REQUIRE(trace.calls().size() == split.size());
        for (size_t i = 0; i < split.size(); ++i)
          check_call(model.config, trace.calls()[i], rows[i], CacheWork::on, form, storage);
      }
      Team team(1);
      Trace trace;
      forward_without_cache<float>(model, ids, dtype, form, LogitRows::last, Run{team, &trace});
      check_call(model.config, trace.calls()[0], 1, CacheWork::off, form, storage);
    }
}

}  // namespace

TEST_SUITE_BEGIN("cost");

TEST_CASE("predicted equals counted for every golden and every trained model, cache on and off, f32 and bf16") {
  const std::vector<fs::path> paths = checkpoints();
  REQUIRE(paths.size() >= 22);
  for (const fs::path& path : paths)
    for (const Dtype weights : {Dtype::f32, Dtype::bf16}) {
      const LoadedModel model = load_model(path, {weights});
      check_model({model.config, model.weights}, weights, 14);
    }
}

TEST_CASE(
    "predicted equals counted for head counts 3 and 7 to one, windows, and latents with and without a query latent") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_heads(7, 1, 6), tiny_heads(4, 4, 12),
                                    tiny_heads(6, 2, 8, 5), tiny_latent(), tiny_latent(12)}) {
    const TinyModel model(config);
    check_model(model.model(), Dtype::f32, 23);
  }
}

TEST_CASE("predicted equals counted past a split of attention and past a window") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 8, 100), tiny_heads(3, 1, 4), tiny_latent(12)}) {
    const TinyModel model(config);
    Team team(2);
    Trace trace;
    const std::vector<int32_t> ids = random_tokens(config, 700);
    KvCache cache(config, 700, Dtype::bf16);
    prefill<float>(model.model(), std::span(ids).first(690), cache, LatentForm::absorbed, LogitRows::none,
                   Run{team, &trace});
    for (size_t i = 690; i < 700; ++i)
      decode_step<float>(model.model(), ids[i], cache, LatentForm::absorbed, Run{team, &trace});
    for (const TracedCall& call : trace.calls())
      check_call(config, call, call.tokens == 1 ? 1 : 0, CacheWork::on, LatentForm::absorbed,
                 {Dtype::f32, Dtype::bf16, Dtype::f32});
  }
}

TEST_CASE("a whole generation costs what generate counts, with the cache and without") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_latent(12)})
    for (const CacheUse use : {CacheUse::on, CacheUse::off}) {
      const TinyModel model(config);
      Team team(1);
      Trace trace;
      GenerateOptions options;
      options.tokens = 9;
      options.cache = use;
      options.cache_dtype = Dtype::bf16;
      Sampler sampler(SamplerSettings{});
      generate(
          model.model(), random_tokens(config, 5), options, sampler, [](int32_t) {}, Run{team, &trace});
      const Setting setting{{Dtype::f32, Dtype::bf16, Dtype::f32},
                            use == CacheUse::on ? CacheWork::on : CacheWork::off,
                            LatentWork::absorbed,
                            1};
      CHECK(as_counters(generation_cost(config, 5, 9, setting)) == trace.total());
    }
}

TEST_SUITE_END();
