#include "model/call_cost.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "model/presets.h"
#include "model/work.h"

using namespace kv;

namespace {

std::vector<ModelConfig> priced_presets() {
  std::vector<ModelConfig> configs;
  for (const Preset& preset : presets())
    if (ModelConfig config = config_of(preset); config.unknown_parameters.empty()) configs.push_back(std::move(config));
  return configs;
}

}  // namespace

TEST_SUITE_BEGIN("cost");

TEST_CASE("a call costs its ends and its layers, for every preset, form, cache and kind of call") {
  const std::vector<ModelConfig> configs = priced_presets();
  REQUIRE(configs.size() >= 47);
  const Storage storage{Dtype::q4_0, Dtype::bf16, Dtype::f32};
  for (const ModelConfig& config : configs)
    for (const CacheWork cache : {CacheWork::on, CacheWork::off})
      for (const LatentWork form : {LatentWork::absorbed, LatentWork::materialised, LatentWork::expanded})
        for (const Call call :
             {Call{5000, 1, 1, 3, cache, form}, Call{0, 300, 0, 1, cache, form}, Call{4090, 9, 9, 2, cache, form}}) {
          INFO(config.name, ", form ", static_cast<int>(form), ", past ", call.past);
          Cost sum = ends_cost(config, call, storage);
          for (int64_t layer = 0; layer < config.layers; ++layer) sum += layer_cost(config, layer, call, storage);
          CHECK(sum == call_cost(config, call, storage));
          CHECK(sum.kv_projections == config.layers * call.rows());
        }
}

TEST_CASE("biases, norms of heads, sinks, experts and the like each change their own part alone") {
  ModelConfig plain;
  plain.layers = 2;
  plain.model_dim = 30;
  plain.hidden_dim = 46;
  plain.vocab = 101;
  plain.heads = 6;
  plain.kv_heads = 2;
  plain.key_head_dim = 8;
  plain.value_head_dim = 10;
  plain.rope.dim = 8;
  plain.layer_cache = {LayerCache::per_head(2, 8, 10), LayerCache::per_head(2, 8, 10)};
  struct Feature {
    std::function<void(ModelConfig&)> add;
    std::vector<Part> parts;  // that it changes
  };
  const Feature features[] = {
      {[](ModelConfig& config) { config.qkv_bias = true; }, {Part::projections}},
      {[](ModelConfig& config) { config.output_bias = true; }, {Part::output_projection}},
      {[](ModelConfig& config) { config.feed_forward_bias = true; }, {Part::feed_forward}},
      {[](ModelConfig& config) { config.head_bias = true; }, {Part::head}},
      {[](ModelConfig& config) { config.query_key_norm = true; }, {Part::norms}},
      {[](ModelConfig& config) { config.norm_of_all_heads = true; }, {Part::norms}},
      {[](ModelConfig& config) { config.norm_bias = true; }, {Part::norms}},
      {[](ModelConfig& config) { config.norms_per_layer = 4; }, {Part::norms}},
      {[](ModelConfig& config) { config.attention_sinks = true; }, {Part::attention}},
      {[](ModelConfig& config) { config.gated_feed_forward = false; }, {Part::feed_forward}},
      {[](ModelConfig& config) { config.learned_positions = 50; }, {Part::embedding}},
      {[](ModelConfig& config) { config.rope.dim = 0; }, {Part::rotation}},
      {[](ModelConfig& config) { config.layer_cache[1].window = 7; }, {Part::attention}},
      {[](ModelConfig& config) { config.experts = {.count = 5, .used = 2, .hidden_dim = 11}; },
       {Part::feed_forward, Part::experts}},
      {[](ModelConfig& config) { config.layer_cache[1] = LayerCache::shared_with(0); },
       {Part::projections, Part::rotation, Part::attention}},
  };
  for (const Call call : {Call{20, 1, 1, 2}, Call{3, 9, 9, 1}}) {
    const CostByPart before = call_cost_by_part(plain, call, {});
    for (const Feature& feature : features) {
      ModelConfig config = plain;
      feature.add(config);
      const CostByPart after = call_cost_by_part(config, call, {});
      std::vector<Part> changed;
      for (size_t part = 0; part < kParts; ++part)
        if (before.parts[part] != after.parts[part]) changed.push_back(static_cast<Part>(part));
      CHECK(changed == feature.parts);
    }
  }
}

TEST_CASE("the calls of a step and of a prefill are those that the sums are made of") {
  const ModelConfig config = config_of(*find_preset("deepseek-v2-lite"));
  for (const CacheWork cache : {CacheWork::on, CacheWork::off}) {
    const Setting setting{{}, cache, LatentWork::materialised, 2};
    const auto sum = [&](const std::vector<Call>& calls) {
      CostByPart parts;
      for (const Call& call : calls) parts += call_cost_by_part(config, call, setting.storage);
      return parts.total();
    };
    CHECK(sum({decode_step_call(77, setting)}) == decode_step_cost(config, 77, setting));
    const std::vector<int64_t> chunks = {3, 20};
    CHECK(sum(prefill_calls(77, chunks, setting)) == prefill_cost(config, 77, chunks, setting));
    CHECK(sum(prefill_calls(77, {}, setting)) == prefill_cost(config, 77, {}, setting));
  }
  CHECK_THROWS_AS(decode_step_call(0, {}), std::invalid_argument);
  CHECK_THROWS_AS(prefill_calls(0, {}, {}), std::invalid_argument);
  const std::vector<int64_t> one = {1};
  CHECK(prefill_calls(100'000, one, {}).size() == 100'000);
  CHECK_THROWS_AS(prefill_calls(1'000'000, one, {}), std::invalid_argument);
}

TEST_SUITE_END();
