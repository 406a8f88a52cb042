#include "model/cost_parts.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "model/presets.h"

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

TEST_CASE("the parts of a call add up to it, for every preset, form, cache and kind of call") {
  const std::vector<ModelConfig> configs = priced_presets();
  REQUIRE(configs.size() >= 47);
  const Storage storage{Dtype::q4_0, Dtype::bf16, Dtype::f32};
  for (const ModelConfig& config : configs)
    for (const CacheWork cache : {CacheWork::on, CacheWork::off})
      for (const LatentWork form : {LatentWork::absorbed, LatentWork::materialised, LatentWork::expanded})
        for (const Call call :
             {Call{5000, 1, 1, 3, cache, form}, Call{0, 300, 0, 1, cache, form}, Call{4090, 9, 9, 2, cache, form}}) {
          INFO(config.name, ", form ", static_cast<int>(form), ", past ", call.past);
          CHECK(call_cost_by_part(config, call, storage).total() == call_cost(config, call, storage));
        }
}

TEST_CASE("biases, norms of heads, sinks, uneven and shared layers are in the parts too") {
  ModelConfig config;
  config.layers = 4;
  config.model_dim = 30;
  config.hidden_dim = 46;
  config.vocab = 101;
  config.heads = 6;
  config.kv_heads = 2;
  config.key_head_dim = 8;
  config.value_head_dim = 10;
  config.rope.dim = 8;
  config.qkv_bias = config.output_bias = config.feed_forward_bias = config.head_bias = true;
  config.query_key_norm = config.norm_of_all_heads = config.norm_bias = config.attention_sinks = true;
  config.gated_feed_forward = false;
  config.norms_per_layer = 4;
  config.learned_positions = 50;
  config.experts = {.count = 5, .used = 2, .hidden_dim = 11, .shared_hidden_dim = 17, .shared_gate = true};
  config.layer_sizes = {{6, 2, 46, false}, {6, 2, 46, true}, {3, 1, 13, false}, {6, 2, 46, true}};
  config.layer_cache = {LayerCache::per_head(2, 8, 10), LayerCache::per_head(2, 8, 10, 7),
                        LayerCache::per_head(1, 8, 10), LayerCache::shared_with(0, 5)};
  for (const Call call : {Call{20, 1, 1, 2}, Call{0, 30, 0, 1}, Call{3, 9, 9, 1}})
    CHECK(call_cost_by_part(config, call, {}).total() == call_cost(config, call, {}));
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
    CHECK(sum(decode_step_calls(77, setting)) == decode_step_cost(config, 77, setting));
    const std::vector<int64_t> chunks = {3, 20};
    CHECK(sum(prefill_calls(77, chunks, setting)) == prefill_cost(config, 77, chunks, setting));
    CHECK(sum(prefill_calls(77, {}, setting)) == prefill_cost(config, 77, {}, setting));
  }
  CHECK_THROWS_AS(decode_step_calls(0, {}), std::invalid_argument);
}

TEST_SUITE_END();
