#include "cpu_reference/generate.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

Generation generated(const TinyModel& tiny, std::vector<int32_t> prompt, GenerateOptions options, int threads = 1,
                     Trace* trace = nullptr) {
  Team team(threads, 1);
  Sampler sampler(SamplerSettings{});
  return generate(tiny.model(), prompt, options, sampler, {}, Run{team, trace});
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE(
    "100 tokens from one cost 100 K/V projections a layer with the cache and 5,050 without; pairs 5,050 and 171,700") {
  const TinyModel tiny(tiny_heads(6, 2, 10));
  for (const CacheUse use : {CacheUse::on, CacheUse::off}) {
    GenerateOptions options;
    options.tokens = 100;
    options.cache = use;
    Trace trace;
    const Generation made = generated(tiny, {5}, options, 2, &trace);
    CHECK(made.tokens.size() == 100);
    std::vector<Counters> layers(3);
    for (const TracedCall& call : trace.calls())
      for (size_t layer = 0; layer < 3; ++layer) layers[layer] += call.layers[layer];
    for (const Counters& layer : layers) {
      CHECK(layer.kv_projections == (use == CacheUse::on ? 100 : 5050));
      CHECK(layer.score_pairs == (use == CacheUse::on ? 5050 : 171700));
      CHECK((layer.cache_bytes_read > 0) == (use == CacheUse::on));
    }
  }
}

TEST_CASE("the hash of all logits is the same with a cache, without, in chunks and with two threads") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10), tiny_heads(6, 2, 10, 5), tiny_latent()}) {
    const TinyModel tiny(config, Dtype::bf16);
    const auto prompt = random_tokens(config, 12);
    for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
      GenerateOptions options;
      options.tokens = 20;
      options.cache_dtype = dtype;
      const Generation first = generated(tiny, prompt, options);
      GenerateOptions off = options, chunked = options;
      off.cache = CacheUse::off;
      chunked.chunks = {3, 1, 7};
      for (const Generation& other : {generated(tiny, prompt, off), generated(tiny, prompt, chunked),
                                      generated(tiny, prompt, options, 2), generated(tiny, prompt, off, 2)}) {
        CHECK(other.logits_hash == first.logits_hash);
        CHECK(other.tokens == first.tokens);
      }
      CHECK(first.kv_bytes == config.cache_bytes(31, dtype));
      CHECK(generated(tiny, prompt, off).kv_bytes == 0);
    }
  }
}

TEST_CASE("the last token that is drawn is never fed: prompt + tokens - 1 slots are enough and one fewer is refused") {
  const TinyModel tiny(tiny_heads(6, 2, 10));
  GenerateOptions options;
  options.tokens = 4;
  options.capacity = 13;
  CHECK(generated(tiny, random_tokens(tiny.config, 10), options).tokens.size() == 4);
  options.capacity = 12;
  CHECK_THROWS_WITH_AS(generated(tiny, random_tokens(tiny.config, 10), options),
                       "10 prompt tokens and 4 to generate need 13 cache slots, but the capacity is 12", CacheFull);
}

TEST_CASE("what cannot be generated is refused before any work") {
  ModelConfig config = tiny_heads(6, 2, 10);
  config.max_context = 16;
  const TinyModel tiny(config);
  GenerateOptions options;
  options.tokens = 3;
  CHECK_THROWS_WITH(generated(tiny, {}, options), "there are no tokens to process");
  CHECK_THROWS_WITH(generated(tiny, {53}, options), "token id 53 is outside the embedding, which has ids 0 to 52");
  CHECK_THROWS_WITH(generated(tiny, random_tokens(config, 17), options), "17 tokens exceed the model's context of 16");
  CHECK_THROWS_WITH(generated(tiny, random_tokens(config, 15), options),
                    "15 prompt tokens and 3 to generate need 17 positions, but the model's context is 16");
  options.chunks = {3, 0};
  CHECK_THROWS_AS(generated(tiny, {5}, options), std::invalid_argument);
  options.chunks = {};
  options.tokens = 0;
  CHECK_THROWS_AS(generated(tiny, {5}, options), std::invalid_argument);
}

TEST_CASE("generation stops at an end token, and goes on when told to") {
  TinyModel tiny(tiny_heads(6, 2, 10));
  GenerateOptions options;
  options.tokens = 6;
  const Generation all = generated(tiny, {5, 9}, options);
  tiny.config.end_tokens = {all.tokens[2]};
  const Generation ended = generated(tiny, {5, 9}, options);
  CHECK(ended.tokens.size() <= 3);
  CHECK(ended.tokens.back() == all.tokens[2]);
  options.stop_at_end = false;
  CHECK(generated(tiny, {5, 9}, options).tokens == all.tokens);
}

TEST_SUITE_END();
