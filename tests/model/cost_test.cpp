// Costs whose every term can be followed by hand, and the worked numbers of published models.
#include "model/cost.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/parameters.h"
#include "model/presets.h"
#include "model/roofline.h"
#include "model/work.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

ModelConfig preset(std::string_view name) { return config_of(*find_preset(name)); }

// One layer whose sizes are all different: 4 query heads over 2 KV heads, keys of 4 values, values of 3.
ModelConfig small(int64_t window = 0) {
  ModelConfig config;
  config.layers = 1;
  config.model_dim = 6;
  config.hidden_dim = 10;
  config.vocab = 13;
  config.max_context = 100;
  config.heads = 4;
  config.kv_heads = 2;
  config.key_head_dim = 4;
  config.value_head_dim = 3;
  config.rope.dim = 4;
  config.layer_cache = {LayerCache::per_head(2, 4, 3, window)};
  return config;
}

constexpr Storage kF32Weights{Dtype::f32, Dtype::bf16, Dtype::f32};

// The model with as many KV heads, as K and V of its own head_dim.
ModelConfig with_kv_heads(ModelConfig config, int64_t kv_heads) {
  config.kv_heads = kv_heads;
  for (LayerCache& layer : config.layer_cache)
    layer = LayerCache::per_head(kv_heads, config.key_head_dim, config.value_head_dim);
  return config;
}

double giga(int64_t count) { return static_cast<double>(count) * 1e-9; }
double mega(int64_t count) { return static_cast<double>(count) * 1e-6; }

// Whether `value` rounds to what was printed with so many decimals.
bool as_printed(double value, double printed, int decimals) {
  return std::abs(value - printed) <= 0.5 * std::pow(10.0, -decimals) * (1 + 1e-9);
}

}  // namespace

TEST_SUITE_BEGIN("cost");

TEST_CASE("a decode step of a small model costs what adding it up by hand gives, term by term") {
  // past 4, so 5 positions; weights 4 bytes, cache 2.
  const Call call{4, 1, 1, 1, CacheWork::on, LatentWork::absorbed};
  const CostByPart parts = call_cost_by_part(small(), call, kF32Weights);
  const auto is = [&](Part part, int64_t matmul, int64_t other, int64_t weights) {
    CAPTURE(std::string(name_of(part)));
    CHECK(parts[part].matmul_flops == matmul);
    CHECK(parts[part].other_flops == other);
    CHECK(parts[part].weight_bytes == weights);
  };
  is(Part::embedding, 0, 0, 6 * 4);
  is(Part::projections, 2 * 6 * (16 + 8 + 6), 0, (16 + 8 + 6) * 6 * 4);  // 4 x 4, 2 x 4 and 2 x 3 rows
  is(Part::rotation, 0, 3 * (4 + 2) * 4, 0);
  is(Part::attention, 2 * 4 * 5 * (4 + 3), 5 * 4 * 5, 0);
  is(Part::output_projection, 2 * 12 * 6, 0, 12 * 6 * 4);
  is(Part::feed_forward, 3 * 2 * 6 * 10, 5 * 10, 3 * 6 * 10 * 4);
  is(Part::norms, 0, 3 * 4 * 6 + 2 * 6, 3 * 6 * 4);  // two of the layer, the last, and two residual additions
  is(Part::head, 2 * 6 * 13, 0, 13 * 6 * 4);
  is(Part::experts, 0, 0, 0);

  const Cost total = call_cost(small(), call, kF32Weights);
  CHECK(total.matmul_flops == 1300);
  CHECK(total.other_flops == 72 + 100 + 50 + 84);
  CHECK(total.flops() == 1606);
  CHECK(total.weight_bytes == 24 + 720 + 288 + 720 + 72 + 312);
  CHECK(total.cache_bytes_read == 5 * 28);  // rows of 2 x (4 + 3) values of 2 bytes
  CHECK(total.cache_bytes_written == 28);
  CHECK(total.memory_bytes() == total.weight_bytes + 168);
  CHECK(total.kv_projections == 1);
  CHECK(total.score_pairs == 5);
}

TEST_CASE("chunks after cached keys score cP + c (c + 1) / 2 pairs: 10 and then 4 are 55 and 50") {
  const auto pairs = [](int64_t past, int64_t tokens) {
    return call_cost(small(), {past, tokens, 1, 1, CacheWork::on, LatentWork::absorbed}, kF32Weights).score_pairs;
  };
  CHECK(pairs(0, 10) == 55);
  CHECK(pairs(10, 4) == 50);
  CHECK(pairs(0, 14) == 105);
}

TEST_CASE("a window bounds the pairs and the rows that are read") {
  const auto cost = [](int64_t past, int64_t tokens) {
    return call_cost(small(3), {past, tokens, 1, 1, CacheWork::on, LatentWork::absorbed}, kF32Weights);
  };
  CHECK(cost(9, 1).score_pairs == 3);
  CHECK(cost(9, 1).cache_bytes_read == 3 * 28);
  CHECK(cost(0, 5).score_pairs == 1 + 2 + 3 + 3 + 3);
  CHECK(cost(9, 4).score_pairs == 4 * 3);
  CHECK(cost(9, 4).cache_bytes_read == (2 + 4) * 28);  // two before the first row, and the rows
}

TEST_CASE("a batch multiplies everything but the weights, of which it fetches more rows of the embedding") {
  const Setting one{kF32Weights}, three{kF32Weights, CacheWork::on, LatentWork::absorbed, 3};
  const Cost a = decode_step_cost(small(), 5, one), b = decode_step_cost(small(), 5, three);
  CHECK(b.matmul_flops == 3 * a.matmul_flops);
  CHECK(b.other_flops == 3 * a.other_flops);
  CHECK(b.cache_bytes_read == 3 * a.cache_bytes_read);
  CHECK(b.cache_bytes_written == 3 * a.cache_bytes_written);
  CHECK(b.activation_bytes == 3 * a.activation_bytes);
  CHECK(b.weight_bytes == a.weight_bytes + 2 * 24);
}

TEST_CASE("without a cache a step computes all positions again, and reads no cache") {
  const Setting without{kF32Weights, CacheWork::off};
  const Cost step = decode_step_cost(small(), 5, without);
  CHECK(step == prefill_cost(small(), 5, {}, without));
  CHECK(step.kv_projections == 5);
  CHECK(step.score_pairs == 15);
  CHECK(step.cache_bytes_read == 0);
  CHECK(step.cache_bytes_written == 0);
  CHECK(step.matmul_flops == 5 * (360 + 144 + 360) + 15 * 56 + 156);  // the head on the last row alone
}

TEST_CASE("a prefill in chunks is the sum of its calls: the same FLOPs as in one piece, and weights once in each") {
  const ModelConfig config = preset("smollm2-135m");
  const Setting setting;
  const std::array<int64_t, 3> chunks = {5, 300, 64};
  const Cost cut = prefill_cost(config, 1000, chunks, setting), whole = prefill_cost(config, 1000, {}, setting);
  Cost sum;
  int64_t past = 0;
  for (const int64_t tokens : {5, 300, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 55}) {
    sum += call_cost(config, {past, tokens, past + tokens == 1000 ? 1 : 0, 1, CacheWork::on, LatentWork::absorbed},
                     setting.storage);
    past += tokens;
  }
  REQUIRE(past == 1000);
  CHECK(cut == sum);
  CHECK(cut.matmul_flops == whole.matmul_flops);
  CHECK(cut.other_flops == whole.other_flops);
  CHECK(cut.score_pairs == whole.score_pairs);
  CHECK(cut.cache_bytes_written == whole.cache_bytes_written);
  CHECK(cut.weight_bytes > 10 * whole.weight_bytes);
  CHECK(cut.cache_bytes_read > whole.cache_bytes_read);
}

TEST_CASE("a cache in blocks is read in blocks") {
  ModelConfig config = small();
  config.key_head_dim = 64;
  config.value_head_dim = 32;
  config.layer_cache = {LayerCache::per_head(2, 64, 32)};
  const Setting setting{{Dtype::bf16, Dtype::q8_0, Dtype::f32}};
  CHECK(decode_step_cost(config, 7, setting).cache_bytes_read == 7 * 2 * (2 * 34 + 34));
}

TEST_CASE("numbers that do not fit are an error, never other numbers") {
  Setting setting;
  setting.batch = std::numeric_limits<int64_t>::max() / 4;
  CHECK(names(error_of<std::overflow_error>([&] { decode_step_cost(small(), 5, setting); }), "64 bits"));
  CHECK(names(error_of<std::overflow_error>([&] { prefill_cost(small(), int64_t{1} << 40, {}, {}); }), "64 bits"));
  CHECK(names(error_of<std::invalid_argument>([&] { decode_step_cost(small(), 0, {}); }), "the context is 0"));
}

TEST_CASE("generating from nothing: 100 K/V rows with the cache, 5,050 without; 5,050 pairs and 171,700") {
  const Setting on, off{{}, CacheWork::off};
  const Cost with = generation_cost(small(), 1, 100, on), without = generation_cost(small(), 1, 100, off);
  CHECK(with.kv_projections == 100);
  CHECK(without.kv_projections == 5050);
  CHECK(with.score_pairs == 5050);
  CHECK(without.score_pairs == 171700);
}

// --- Published models ---

TEST_CASE("parameter totals are the published ones") {
  const auto billions = [](std::string_view name) { return giga(parameter_count(preset(name))); };
  CHECK(parameter_count(preset("smollm2-135m")) == 134515008);
  CHECK(as_printed(billions("llama-3-8b"), 8.030, 3));
  CHECK(as_printed(billions("deepseek-v2-lite"), 15.71, 2));
  CHECK(as_printed(billions("deepseek-v3"), 671.03, 2));
  // What a token runs: with the head and without the embedding.
  const ParameterCount lite = count_parameters(preset("deepseek-v2-lite")),
                       v3 = count_parameters(preset("deepseek-v3"));
  CHECK(as_printed(giga(lite.active() - lite.embedding), 2.45, 2));
  CHECK(as_printed(giga(v3.active() - v3.embedding), 36.6, 1));
}

TEST_CASE("SmolLM2 at 2,048: 0.269 and 0.142 GFLOP with the cache, 580 GFLOP without, 1,413 times as many") {
  const ModelConfig config = preset("smollm2-135m");
  const CostByPart parts = call_cost_by_part(config, decode_step_call(2048, {}), {});
  const Cost step = decode_step_cost(config, 2048, {});
  CHECK(as_printed(giga(parts[Part::attention].matmul_flops), 0.142, 3));
  CHECK(as_printed(giga(step.matmul_flops - parts[Part::attention].matmul_flops), 0.269, 3));
  const Cost without = decode_step_cost(config, 2048, {{}, CacheWork::off});
  CHECK(as_printed(giga(without.matmul_flops), 580, 0));
  CHECK(std::llround(static_cast<double>(without.matmul_flops) / static_cast<double>(step.matmul_flops)) == 1413);
}

namespace {

// A row of a table of decode steps: what was worked out on paper for a model and a context.
struct Row {
  const char* name;
  ModelConfig config;
  int64_t context;
  LatentWork form;
  double linear_gflop, attention_gflop;
  int decimals;
  double weight_mb, cache_mb;
  double intensity;
  int intensity_decimals;
};

}  // namespace

TEST_CASE("decode steps of five models have the FLOPs, bytes and intensity that were worked out on paper") {
  const ModelConfig smol = preset("smollm2-135m"), llama = preset("llama-3-8b");
  const ModelConfig lite = preset("deepseek-v2-lite"), v3 = preset("deepseek-v3");
  constexpr auto kAny = LatentWork::absorbed;
  const std::vector<Row> rows = {
      {"SmolLM2", smol, 512, kAny, 0.269, 0.035, 3, 269, 12, 1.08, 2},
      {"SmolLM2", smol, 2048, kAny, 0.269, 0.142, 3, 269, 47, 1.30, 2},
      {"SmolLM2", smol, 8192, kAny, 0.269, 0.566, 3, 269, 189, 1.82, 2},
      {"SmolLM2 as MHA", with_kv_heads(smol, 9), 8192, kAny, 0.296, 0.566, 3, 296, 566, 1.00, 2},
      {"SmolLM2 as MQA", with_kv_heads(smol, 1), 8192, kAny, 0.260, 0.566, 3, 260, 63, 2.56, 2},
      {"Llama-3-8B", llama, 8192, kAny, 15.0, 4.3, 1, 15009, 1074, 1.20, 2},
      {"Llama-3-8B", llama, 131072, kAny, 15.0, 68.7, 1, 15009, 17180, 2.60, 2},
      {"V2-Lite absorbed", lite, 8192, LatentWork::absorbed, 4.90, 7.70, 2, 4902, 255, 2.44, 2},
      {"V2-Lite expanded", lite, 8192, LatentWork::expanded, 4.90, 2.26, 2, 4902, 2265, 1.00, 2},
      {"V3 absorbed", v3, 32768, LatentWork::absorbed, 73.3, 557, 0, 73250, 2303, 8.3, 1},
      {"V3 expanded", v3, 32768, LatentWork::expanded, 73.3, 164, 0, 73250, 163746, 1.00, 2},
  };
  for (const Row& row : rows) {
    INFO(row.name, ", context ", row.context);
    const Setting setting{{}, CacheWork::on, row.form};
    const CostByPart parts = call_cost_by_part(row.config, decode_step_call(row.context, setting), {});
    const Cost step = parts.total();
    CHECK(as_printed(giga(parts[Part::attention].matmul_flops), row.attention_gflop, row.decimals));
    CHECK(as_printed(giga(step.matmul_flops - parts[Part::attention].matmul_flops), row.linear_gflop, row.decimals));
    // On paper matrices alone were counted, no gains of norms and nothing of the embedding, and a last digit was cut.
    const int64_t matrices = step.weight_bytes - parts[Part::norms].weight_bytes - parts[Part::embedding].weight_bytes;
    CHECK(std::abs(mega(matrices) - row.weight_mb) < 1);
    CHECK(as_printed(mega(step.cache_bytes_read), row.cache_mb, 0));
    CHECK(as_printed(intensity(step), row.intensity, row.intensity_decimals));
  }
}

TEST_CASE("rebuilding K and V of all stored latents in each step of V2-Lite at 8,192 is 930 GFLOP, 181 a byte") {
  const Setting setting{{}, CacheWork::on, LatentWork::materialised};
  const Cost step = decode_step_cost(preset("deepseek-v2-lite"), 8192, setting);
  CHECK(as_printed(giga(step.matmul_flops), 4.90 + 930, 0));
  CHECK(as_printed(mega(step.cache_bytes_read), 255, 0));
  CHECK(as_printed(intensity(step), 181, 0));
}

TEST_CASE("steps without the cache are 118 to 6,333,000 GFLOP, and hundreds to thousands of times as many") {
  const ModelConfig smol = preset("smollm2-135m");
  const auto check = [](const ModelConfig& config, int64_t context, double gflop, double tolerance, double times) {
    INFO(config.name, ", context ", context);
    const Cost without = decode_step_cost(config, context, {{}, CacheWork::off, LatentWork::expanded});
    CHECK(std::abs(giga(without.matmul_flops) - gflop) <= tolerance);
    if (times == 0) return;
    const Cost with = decode_step_cost(config, context, {});
    const double ratio = static_cast<double>(without.matmul_flops) / static_cast<double>(with.matmul_flops);
    CHECK(std::abs(ratio - times) <= 1);
  };
  check(smol, 512, 118, 0.5, 387);
  check(smol, 8192, 4059, 0.5, 4860);
  check(with_kv_heads(smol, 9), 8192, 4277, 0.5, 0);
  check(with_kv_heads(smol, 1), 8192, 3987, 0.5, 0);
  check(preset("llama-3-8b"), 8192, 132e3, 500, 6835);
  check(preset("llama-3-8b"), 131072, 6333e3, 500, 0);
  check(preset("deepseek-v2-lite"), 8192, 46e3, 500, 0);
  check(preset("deepseek-v3"), 32768, 5022e3, 500, 0);
}

TEST_CASE("generating with SmolLM2 is 35 against 1,785 GFLOP, 101 against 14,531, 282 against 94,292") {
  const ModelConfig config = preset("smollm2-135m");
  const auto check = [&](int64_t prompt, int64_t generated, double with_gflop, double without_gflop, double times) {
    CAPTURE(prompt);
    const Cost with = generation_cost(config, prompt, generated, {});
    const Cost without = generation_cost(config, prompt, generated, {{}, CacheWork::off});
    CHECK(as_printed(giga(with.matmul_flops), with_gflop, 0));
    CHECK(as_printed(giga(without.matmul_flops), without_gflop, 0));
    CHECK(as_printed(static_cast<double>(without.matmul_flops) / static_cast<double>(with.matmul_flops), times, 0));
  };
  check(1, 128, 35, 1785, 51);
  check(128, 256, 101, 14531, 144);
  check(512, 512, 282, 94292, 334);
}

TEST_CASE("prefills of SmolLM2 are 118, 580 and 4,059 GFLOP, of which attention takes 8, 25 and 57 %") {
  const ModelConfig config = preset("smollm2-135m");
  const auto check = [&](int64_t tokens, double gflop, double share) {
    const CostByPart parts = call_cost_by_part(config, prefill_calls(tokens, {}, {})[0], {});
    CHECK(as_printed(giga(parts.total().matmul_flops), gflop, 0));
    CHECK(as_printed(100.0 * static_cast<double>(parts[Part::attention].matmul_flops) /
                         static_cast<double>(parts.total().matmul_flops),
                     share, 0));
  };
  check(512, 118, 8);
  check(2048, 580, 25);
  check(8192, 4059, 57);
}

TEST_CASE("a token of DeepSeek-V3 stores 70,272 bytes as a latent, and 4,997,120 as K and V of every head") {
  const ModelConfig config = preset("deepseek-v3");
  const auto written = [&](LatentWork form) {
    return decode_step_cost(config, 100, {{}, CacheWork::on, form}).cache_bytes_written;
  };
  CHECK(written(LatentWork::absorbed) == 70272);
  CHECK(written(LatentWork::materialised) == 70272);
  CHECK(written(LatentWork::expanded) == 4997120);
}

TEST_CASE("a model whose layers are not all attention has a size and no price") {
  CHECK(names(error_of<std::invalid_argument>([] { decode_step_cost(preset("qwen3.5-27b"), 5, {}); }),
              "no attention layer"));
}

TEST_SUITE_END();
