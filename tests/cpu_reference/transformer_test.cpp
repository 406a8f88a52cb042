#include "cpu_reference/transformer.h"

#include <doctest/doctest.h>

#include <string>

#include "model/error.h"
#include "model/parameters.h"
#include "tests/support/claim.h"
#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

// MHA, GQA with ratios 3 and 7, MQA, windows shorter than the prompt, and latent attention with and without a query
// latent.
std::vector<ModelConfig> shapes() {
  std::vector<ModelConfig> all = {tiny_heads(4, 4, 10),    tiny_heads(6, 2, 10),    tiny_heads(7, 1, 16),
                                  tiny_heads(6, 2, 10, 5), tiny_heads(4, 2, 32, 3), tiny_latent(),
                                  tiny_latent(12)};
  all.push_back(tiny_heads(6, 2, 10));
  all.back().query_key_norm = true;
  all.back().qkv_bias = all.back().output_bias = all.back().feed_forward_bias = true;
  return all;
}

Matrix<float> fresh(const TinyModel& tiny, std::span<const int32_t> tokens, LatentForm form = LatentForm::absorbed) {
  Team team(1);
  return forward_without_cache<float>(tiny.model(), tokens, Dtype::f32, form, LogitRows::all, Run{team});
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("decode with a cache equals full recomputation, bit for bit") {
  for (const ModelConfig& config : shapes())
    for (const Dtype weights : {Dtype::f32, Dtype::bf16}) {
      const TinyModel tiny(config, weights);
      check_cache_changes_nothing(tiny.model(), random_tokens(config, 14));
    }
}

TEST_CASE("the claim holds across a split of attention: 530 tokens, then one by one") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_heads(4, 2, 10, 30), tiny_latent()}) {
    const TinyModel tiny(config);
    Team team(2, 1);
    const Run run{team};
    const auto tokens = random_tokens(config, 533);
    const Matrix<float> all =
        forward_without_cache<float>(tiny.model(), tokens, Dtype::bf16, LatentForm::absorbed, LogitRows::all, run);
    KvCache cache(config, 600, Dtype::bf16, 64);
    const Matrix<float> before =
        prefill<float>(tiny.model(), std::span(tokens).first(530), cache, LatentForm::absorbed, LogitRows::all, run);
    CHECK(same_bits<float>(before, all.topRows(530)));
    for (int64_t t = 530; t < 533; ++t)
      CHECK(same_bits<float>(
          decode_step<float>(tiny.model(), tokens[static_cast<size_t>(t)], cache, LatentForm::absorbed, run),
          all.row(t)));
  }
}

TEST_CASE("the float model follows the double oracle") {
  Team team(1);
  for (const ModelConfig& config : shapes()) {
    const TinyModel tiny(config);
    const auto tokens = random_tokens(config, 14);
    const Matrix<double> oracle = forward_without_cache<double>(tiny.model(), tokens, Dtype::f64, LatentForm::absorbed,
                                                                LogitRows::all, Run{team});
    CHECK(worst_error(fresh(tiny, tokens), oracle) <= 1e-5 * scale_of(oracle));
  }
}

TEST_CASE("positions count: the same token gives other logits elsewhere, and order matters") {
  const TinyModel tiny(tiny_heads(6, 2, 10));
  const std::vector<int32_t> ab = {5, 9, 5, 9, 5}, ba = {9, 5, 5, 9, 5};
  const Matrix<float> a = fresh(tiny, ab), b = fresh(tiny, ba);
  CHECK(worst_error<Matrix<float>, Matrix<float>>(a.row(4), b.row(4)) > 1e-3);
  CHECK(worst_error<Matrix<float>, Matrix<float>>(a.row(2), a.row(4)) > 1e-3);
}

TEST_CASE("a window changes rows beyond it and none before") {
  const auto tokens = random_tokens(tiny_heads(6, 2, 10), 14);
  const Matrix<float> full = fresh(TinyModel(tiny_heads(6, 2, 10)), tokens);
  const Matrix<float> banded = fresh(TinyModel(tiny_heads(6, 2, 10, 5)), tokens);
  CHECK(same_bits<float>(full.topRows(5), banded.topRows(5)));
  CHECK(worst_error<Matrix<float>, Matrix<float>>(full.row(5), banded.row(5)) > 1e-4);
}

TEST_CASE("10 tokens and then 4 more equal the full pass, and score 55 + 50 pairs a layer") {
  const TinyModel tiny(tiny_heads(6, 2, 10));
  const auto tokens = random_tokens(tiny.config, 14);
  Team team(1);
  Trace trace;
  const Run run{team, &trace};
  KvCache cache(tiny.config, 14, Dtype::f32);
  const auto part = [&](size_t begin, size_t count) {
    return prefill<float>(tiny.model(), std::span(tokens).subspan(begin, count), cache, LatentForm::absorbed,
                          LogitRows::all, run);
  };
  const Matrix<float> all = fresh(tiny, tokens);
  CHECK(same_bits<float>(part(0, 10), all.topRows(10)));
  CHECK(same_bits<float>(part(10, 4), all.bottomRows(4)));
  for (const Counters& layer : trace.calls()[0].layers) CHECK(layer.score_pairs == 55);
  for (const Counters& layer : trace.calls()[1].layers) CHECK(layer.score_pairs == 50);
}

TEST_CASE("several tokens at once after a prompt sit at their own positions") {
  const TinyModel tiny(tiny_heads(7, 1, 16));
  const auto tokens = random_tokens(tiny.config, 14);
  Team team(1);
  const Run run{team};
  const Matrix<float> all = fresh(tiny, tokens);
  KvCache cache(tiny.config, 14, Dtype::f32);
  prefill<float>(tiny.model(), std::span(tokens).first(9), cache, LatentForm::absorbed, LogitRows::last, run);
  const Matrix<float> rest =
      prefill<float>(tiny.model(), std::span(tokens).subspan(9), cache, LatentForm::absorbed, LogitRows::all, run);
  CHECK(same_bits<float>(rest, all.bottomRows(5)));
}

TEST_CASE("after a truncation the model goes on as if it had never seen the rest") {
  for (const ModelConfig& config : shapes()) {
    const TinyModel tiny(config);
    const auto seen = random_tokens(config, 12, 1), other = random_tokens(config, 3, 2);
    std::vector<int32_t> joined(seen.begin(), seen.begin() + 9);
    joined.insert(joined.end(), other.begin(), other.end());
    Team team(1);
    const Run run{team};
    KvCache cache(config, 20, Dtype::f32);
    prefill<float>(tiny.model(), seen, cache, LatentForm::absorbed, LogitRows::last, run);
    cache.truncate(9);
    const Matrix<float> got = prefill<float>(tiny.model(), other, cache, LatentForm::absorbed, LogitRows::all, run);
    CHECK(cache.length() == 12);
    CHECK(same_bits<float>(got, fresh(tiny, joined).bottomRows(3)));
  }
}

TEST_CASE("prompts A, B, A through one cache give what fresh caches give") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_heads(6, 2, 10, 5), tiny_latent()}) {
    const TinyModel tiny(config);
    const auto a = random_tokens(config, 12, 1), b = random_tokens(config, 9, 2);
    Team team(1);
    KvCache cache(config, 12, Dtype::f32);
    for (const auto& prompt : {a, b, a}) {
      cache.reset();
      CHECK(cache.length() == 0);
      CHECK(same_bits(prefill<float>(tiny.model(), prompt, cache, LatentForm::absorbed, LogitRows::all, Run{team}),
                      fresh(tiny, prompt)));
    }
  }
}

TEST_CASE("a full cache refuses the next token before anything is written, and the next prompt works") {
  const TinyModel tiny(tiny_heads(6, 2, 10));
  const auto tokens = random_tokens(tiny.config, 17);
  Team team(1);
  const Run run{team};
  const auto read = [&](KvCache& cache, size_t count) {
    return prefill<float>(tiny.model(), std::span(tokens).first(count), cache, LatentForm::absorbed, LogitRows::all,
                          run);
  };
  KvCache cache(tiny.config, 16, Dtype::f32);
  read(cache, 15);
  decode_step<float>(tiny.model(), tokens[15], cache, LatentForm::absorbed, run);
  CHECK_THROWS_WITH_AS(decode_step<float>(tiny.model(), tokens[16], cache, LatentForm::absorbed, run),
                       "the cache is full: it holds 16 of 16 tokens and 1 more was asked for", CacheFull);
  CHECK(cache.length() == 16);
  cache.reset();
  CHECK_THROWS_AS(read(cache, 17), CacheFull);
  CHECK(cache.length() == 0);
  CHECK(same_bits<float>(read(cache, 9), fresh(tiny, std::span(tokens).first(9))));
}

TEST_CASE("bad calls are refused with a reason: no tokens, ids outside the embedding, positions beyond the context") {
  ModelConfig config = tiny_heads(6, 2, 10);
  config.max_context = 8;
  const TinyModel tiny(config);
  Team team(1);
  const Run run{team};
  KvCache cache(config, 20, Dtype::f32);
  const auto cached = [&](std::vector<int32_t> tokens) {
    prefill<float>(tiny.model(), tokens, cache, LatentForm::absorbed, LogitRows::last, run);
  };
  CHECK_THROWS_WITH(cached({}), "there are no tokens to process");
  CHECK_THROWS_WITH(cached({1, 53}), "token id 53 is outside the embedding, which has ids 0 to 52");
  CHECK_THROWS_WITH(cached({-1}), "token id -1 is outside the embedding, which has ids 0 to 52");
  cached({1, 2, 3, 4, 5, 6, 7});
  CHECK_THROWS_WITH(cached({1, 2}), "2 tokens after the first 7 exceed the model's context of 8");
  CHECK(cache.length() == 7);
  CHECK_THROWS_AS(fresh(tiny, random_tokens(config, 9)), std::invalid_argument);
}

TEST_CASE("a NaN in a weight is visible in the logits") {
  TinyModel tiny(tiny_heads(6, 2, 10));
  const float nan = std::nanf("");
  std::memcpy(const_cast<std::byte*>(tiny.weights.layers[1].key.data), &nan, sizeof nan);
  CHECK(fresh(tiny, random_tokens(tiny.config, 9)).array().isNaN().any());
}

TEST_CASE("the head runs on the rows that are asked for, also when a call is cut into pieces") {
  const TinyModel tiny(tiny_heads(6, 2, 10, 5));
  const auto tokens = random_tokens(tiny.config, 14);
  const Matrix<float> all = fresh(tiny, tokens);
  Team team(1);
  for (const LogitRows rows : {LogitRows::none, LogitRows::last, LogitRows::all}) {
    Trace trace;
    KvCache cache(tiny.config, 14, Dtype::f32, 4);  // calls of 4, 4, 4 and 2 tokens
    const Matrix<float> got =
        prefill<float>(tiny.model(), tokens, cache, LatentForm::absorbed, rows, Run{team, &trace});
    const int64_t wanted = rows == LogitRows::none ? 0 : rows == LogitRows::last ? 1 : 14;
    CHECK(same_bits<float>(got, all.bottomRows(wanted)));
    CHECK(trace.calls().size() == 4);
    int64_t head_flops = 0;
    for (const TracedCall& call : trace.calls()) head_flops += static_cast<int64_t>(call.ends.matmul_flops);
    CHECK(head_flops == 2 * wanted * tiny.config.vocab * tiny.config.model_dim);
  }
}

TEST_CASE("the trace names every tensor of a step, with its shape, and leaves the logits as they are") {
  Team team(2, 1);
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_latent()}) {
    const TinyModel tiny(config);
    const auto tokens = random_tokens(config, 5);
    Trace trace(Trace::Keep::counters_and_tensors);
    KvCache cache(config, 5, Dtype::f32);
    const Matrix<float> logits =
        prefill<float>(tiny.model(), tokens, cache, LatentForm::absorbed, LogitRows::all, Run{team, &trace});
    CHECK(same_bits(logits, fresh(tiny, tokens)));
    CHECK(trace.tensor(0, "embedding").shape == Shape{5, 44});
    CHECK(trace.tensor(0, "layer.1.queries").shape == Shape{5, config.heads, config.key_head_dim});
    CHECK(trace.tensor(0, config.has_latent_attention() ? "layer.2.latents" : "layer.2.keys").values.size() > 0);
    CHECK(trace.tensor(0, "layer.2.output").shape == Shape{5, 44});
    CHECK(trace.tensor(0, "logits").values.back() == static_cast<double>(logits(4, 52)));
    CHECK_THROWS_AS(trace.tensor(0, "layer.3.output"), std::out_of_range);
  }
}

TEST_CASE("a step's counters: every tensor read once, every stored value once, each new value written once") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_heads(6, 2, 10, 5), tiny_latent(12)}) {
    const TinyModel tiny(config, Dtype::bf16);
    Team team(2, 1);
    Trace trace;
    const Run run{team, &trace};
    KvCache cache(config, 20, Dtype::bf16);
    prefill<float>(tiny.model(), random_tokens(config, 9), cache, LatentForm::absorbed, LogitRows::last, run);
    decode_step<float>(tiny.model(), 3, cache, LatentForm::absorbed, run);
    const Counters step = trace.calls()[1].total();
    // All parameters but the embedding's other rows.
    CHECK(step.weight_bytes ==
          static_cast<uint64_t>(2 * (parameter_count(config) - (config.vocab - 1) * config.model_dim)));
    CHECK(step.cache_bytes_read == static_cast<uint64_t>(config.cache_bytes(10, Dtype::bf16)));
    CHECK(step.cache_bytes_written == static_cast<uint64_t>(config.cache_values_per_token() * 2));
    CHECK(step.kv_projections == 3);
    const Counters prefilled = trace.calls()[0].total();
    CHECK(prefilled.cache_bytes_written == 9 * step.cache_bytes_written);
    CHECK(prefilled.kv_projections == 27);
  }
}

TEST_SUITE_END();
