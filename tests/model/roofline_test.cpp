#include "model/roofline.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/call_cost.h"
#include "model/presets.h"

using namespace kv;
using doctest::Approx;

namespace {

ModelConfig preset(std::string_view name) { return config_of(*find_preset(name)); }

Cost work(int64_t flops, int64_t bytes) {
  Cost cost;
  cost.matmul_flops = flops;
  cost.weight_bytes = bytes;
  return cost;
}

Setting with_form(LatentWork form, int64_t batch = 1) { return {{}, CacheWork::on, form, batch}; }

}  // namespace

TEST_SUITE_BEGIN("roofline");

TEST_CASE("the longer of the two times holds a work up, and the ridge is where they are equal") {
  const Speeds speeds{100, 1000};
  CHECK(speeds.ridge() == 10);
  const Prediction reading = predict(work(5000, 1000), speeds), computing = predict(work(20000, 1000), speeds);
  CHECK(reading.memory_seconds == 10);
  CHECK(reading.compute_seconds == 5);
  CHECK(reading.seconds() == 10);
  CHECK(reading.bound() == BoundBy::memory);
  CHECK(computing.seconds() == 20);
  CHECK(computing.bound() == BoundBy::compute);
  CHECK(intensity(work(5000, 1000)) == 5);
}

TEST_CASE("where one number is not known there is a time of the other, and no bound") {
  const Prediction bytes_alone = predict(work(5000, 1000), {100, 0});
  CHECK(bytes_alone.seconds() == 10);
  CHECK_FALSE(bytes_alone.bound().has_value());
  CHECK(predict(work(5000, 1000), {0, 1000}).seconds() == 5);
  CHECK(predict(work(5000, 1000), {}).seconds() == 0);
  CHECK(Speeds{}.ridge() == 0);
}

TEST_CASE("cache read and written counts as bytes, activations do not") {
  Cost cost = work(100, 10);
  cost.cache_bytes_read = 30;
  cost.cache_bytes_written = 10;
  cost.activation_bytes = 1000;
  cost.other_flops = 1000;
  CHECK(intensity(cost) == 2);
}

TEST_CASE("a step's floor is its bytes over the bandwidth: worked numbers at 4.3 TB/s and at 53 GB/s") {
  const auto microseconds = [](std::string_view name, int64_t context, const Setting& setting, double bandwidth) {
    return 1e6 * predict(decode_step_cost(preset(name), context, setting), {bandwidth, 0}).seconds();
  };
  constexpr double kH200 = 4.3e12, kTwoCores = 53e9;
  CHECK(microseconds("smollm2-135m", 512, {}, kH200) == Approx(65).epsilon(0.01));
  CHECK(microseconds("smollm2-135m", 2048, {}, kH200) == Approx(74).epsilon(0.01));
  CHECK(microseconds("smollm2-135m", 8192, {}, kH200) == Approx(106).epsilon(0.01));
  CHECK(microseconds("llama-3-8b", 8192, {}, kH200) == Approx(3740).epsilon(0.01));
  CHECK(microseconds("llama-3-8b", 131072, {}, kH200) == Approx(7490).epsilon(0.01));
  CHECK(microseconds("deepseek-v2-lite", 8192, {}, kH200) == Approx(1200).epsilon(0.01));
  CHECK(microseconds("deepseek-v2-lite", 8192, with_form(LatentWork::expanded), kH200) == Approx(1670).epsilon(0.01));
  CHECK(microseconds("deepseek-v3", 32768, {}, kH200) == Approx(17600).epsilon(0.01));
  CHECK(microseconds("deepseek-v3", 32768, with_form(LatentWork::expanded), kH200) == Approx(55100).epsilon(0.01));
  const Setting f32{{Dtype::f32, Dtype::f32, Dtype::f32}};
  CHECK(microseconds("smollm2-135m", 512, f32, kTwoCores) == Approx(10600).epsilon(0.01));
  CHECK(microseconds("smollm2-135m", 2048, f32, kTwoCores) == Approx(11900).epsilon(0.01));
  CHECK(microseconds("smollm2-135m", 8192, f32, kTwoCores) == Approx(17300).epsilon(0.01));
}

TEST_CASE("a prompt of SmolLM2 at 780 TFLOP/s and at 290 GFLOP/s: worked numbers") {
  const auto seconds = [](int64_t tokens, double peak) {
    return predict(prefill_cost(preset("smollm2-135m"), tokens, {}, {}), {0, peak}).seconds();
  };
  CHECK(seconds(512, 780e12) == Approx(0.15e-3).epsilon(0.02));
  CHECK(seconds(2048, 780e12) == Approx(0.74e-3).epsilon(0.02));
  CHECK(seconds(8192, 780e12) == Approx(5.2e-3).epsilon(0.02));
  CHECK(seconds(512, 290e9) == Approx(0.41).epsilon(0.02));
  CHECK(seconds(2048, 290e9) == Approx(2.0).epsilon(0.02));
  CHECK(seconds(8192, 290e9) == Approx(14).epsilon(0.02));
}

TEST_CASE("cache outweighs weights from 11.7k, 114.5k, 157.6k and 1.04M tokens on, earlier in a batch") {
  const auto context = [](std::string_view name, int64_t batch = 1) {
    return static_cast<double>(
        context_where_cache_outweighs_weights(preset(name), with_form(LatentWork::absorbed, batch)).value());
  };
  CHECK(context("smollm2-135m") == Approx(11.7e3).epsilon(0.005));
  CHECK(context("llama-3-8b") == Approx(114.5e3).epsilon(0.001));
  CHECK(context("deepseek-v2-lite") == Approx(157.6e3).epsilon(0.001));
  CHECK(context("deepseek-v3") == Approx(1.04e6).epsilon(0.005));
  CHECK(context("llama-3-8b", 16) == Approx(114.5e3 / 16).epsilon(0.001));
}

TEST_CASE("the context where cache outweighs weights is the first such one") {
  const ModelConfig config = preset("smollm2-135m");
  const int64_t at = context_where_cache_outweighs_weights(config, {}).value();
  const Cost before = decode_step_cost(config, at - 1, {}), there = decode_step_cost(config, at, {});
  CHECK(before.cache_bytes_read < before.weight_bytes);
  CHECK(there.cache_bytes_read >= there.weight_bytes);
}

TEST_CASE("a cache never outweighs the weights without one, or when every layer has a window") {
  CHECK_FALSE(context_where_cache_outweighs_weights(preset("smollm2-135m"), {{}, CacheWork::off}).has_value());
  CHECK_FALSE(context_where_cache_outweighs_weights(preset("mistral-7b-v0.1"), {}).has_value());
  // In a batch of many it does, windows or not.
  CHECK(context_where_cache_outweighs_weights(preset("mistral-7b-v0.1"), with_form(LatentWork::absorbed, 100))
            .has_value());
}

TEST_CASE("DeepSeek should absorb below 146 queries at 1k, 167 at 8k, and 171 as the context grows") {
  const ModelConfig config = preset("deepseek-v3");
  const auto queries = [&](int64_t context) {
    return std::llround(queries_that_should_absorb(config, context).value());
  };
  CHECK(queries(1024) == 146);
  CHECK(queries(8192) == 167);
  CHECK(queries(int64_t{1} << 40) == 171);
  CHECK(queries_that_should_absorb(preset("deepseek-v2-lite"), 8192) == queries_that_should_absorb(config, 8192));
  CHECK_FALSE(queries_that_should_absorb(preset("llama-3-8b"), 8192).has_value());
}

TEST_CASE("the costs of the two forms cross where the formula says, but for queries that see fewer latents") {
  const ModelConfig config = preset("deepseek-v3");
  for (const int64_t context : {1024, 8192, 65536}) {
    const auto flops = [&](int64_t queries, LatentWork form) {
      return call_cost(config, {context - queries, queries, 1, 1, CacheWork::on, form}, {}).matmul_flops;
    };
    int64_t crossing = 1;
    while (flops(crossing, LatentWork::absorbed) < flops(crossing, LatentWork::materialised)) ++crossing;
    const double formula = queries_that_should_absorb(config, context).value();
    CAPTURE(context);
    CHECK(static_cast<double>(crossing) >= formula);  // a causal call saves the absorbed form more
    // With T queries all seeing S - (T - 1) / 2 latents, which is what causality comes to.
    const double seen = static_cast<double>(context) - static_cast<double>(crossing - 1) / 2;
    CHECK(static_cast<double>(crossing) == Approx(formula * static_cast<double>(context) / seen).epsilon(0.02));
  }
}

TEST_SUITE_END();
