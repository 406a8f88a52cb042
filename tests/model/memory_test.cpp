#include "model/memory.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "model/files/hf_config.h"
#include "model/presets.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

constexpr NumberFormat kBf16 = Dtype::bf16;
constexpr int64_t kGib = int64_t{1} << 30;

ModelConfig preset(std::string_view name) { return config_of(*find_preset(name)); }
int64_t token(const ModelConfig& config, NumberFormat format = Dtype::bf16, int64_t ranks = 1) {
  return request_cache_bytes(config, 1, format, ranks);
}
NumberFormat format(std::string_view name) { return number_format(name).value(); }

}  // namespace

TEST_SUITE_BEGIN("memory");

TEST_CASE("weights are all parameters, never the active ones, in every format") {
  const ModelConfig mixtral = preset("mixtral-8x7b");
  CHECK(weight_bytes(mixtral, Dtype::bf16) == 2 * int64_t{46702792704});
  CHECK(weight_bytes(mixtral, Dtype::f32) == 4 * int64_t{46702792704});
  CHECK(weight_bytes(mixtral, format("f8")) == 46702792704);
  CHECK(weight_bytes(mixtral, format("i4")) == 46702792704 / 2);
  CHECK(weight_bytes(preset("llama-3.1-8b"), Dtype::bf16) == 16060522496);
}

TEST_CASE("block formats pay for their scales: 8.5 bits a weight in q8_0, 4.5 in q4_0; a broken block is whole bytes") {
  CHECK(weight_bytes(32 * 1000, Dtype::q8_0) == 34 * 1000);
  CHECK(weight_bytes(32 * 1000, Dtype::q4_0) == 18 * 1000);
  CHECK(8.0 * static_cast<double>(weight_bytes(1 << 20, Dtype::q8_0)) / (1 << 20) == 8.5);
  CHECK(8.0 * static_cast<double>(weight_bytes(1 << 20, Dtype::q4_0)) / (1 << 20) == 4.5);
  CHECK(weight_bytes(33, Dtype::q4_0) == 18 + 1);  // 0.5625 bytes, rounded up
  CHECK(weight_bytes(3, format("i4")) == 2);
}

TEST_CASE("a cache in blocks: 128 values of a head are four blocks, 80 are three") {
  CHECK(cache_row_bytes(LayerCache::per_head(8, 128, 128), Dtype::q8_0) == 8 * 2 * 4 * 34);
  CHECK(cache_row_bytes(LayerCache::per_head(1, 80, 64), Dtype::q4_0) == 3 * 18 + 2 * 18);
  CHECK(cache_row_bytes(LayerCache::latent(512, 64), Dtype::q8_0) == 18 * 34);
}

TEST_CASE("window layers keep min(length, window), shared ones nothing, and states stand apart") {
  ModelConfig config;
  config.layer_cache = {LayerCache::per_head(2, 8, 10), LayerCache::per_head(2, 8, 10, 100), LayerCache::shared_with(0),
                        LayerCache{}};
  config.layer_cache[3].state_bytes = 1001;
  CHECK(request_cache_bytes(config, 50, kBf16) == 2 * 50 * 72);
  CHECK(request_cache_bytes(config, 1000, kBf16) == 1000 * 72 + 100 * 72);
  CHECK(cache_bytes_past_windows(config, kBf16) == 72);
  CHECK(request_state_bytes(config) == 1001);
  CHECK(request_state_bytes(config, 2) == 501);
  const ModelConfig mistral = preset("mistral-7b-v0.1");
  CHECK(request_cache_bytes(mistral, 32768, kBf16) == request_cache_bytes(mistral, 4096, kBf16));
  CHECK(request_cache_bytes(mistral, 32768, kBf16) == int64_t{512} << 20);
  CHECK(cache_bytes_past_windows(mistral, kBf16) == 0);
}

TEST_CASE("two bytes a value give what the config itself counts, for every preset and length") {
  for (const Preset& one : presets()) {
    const ModelConfig config = config_of(one);
    CAPTURE(config.name);
    for (const int64_t length : {int64_t{1}, int64_t{5000}, config.max_context})
      CHECK(request_cache_bytes(config, length, kBf16) == config.cache_bytes(length, Dtype::bf16));
  }
}

// --- Ranks ---

TEST_CASE("ranks share KV heads, and store one each where there are fewer heads than ranks") {
  const ModelConfig llama = preset("llama-3.1-70b");  // 80 layers, 8 KV heads of 128
  CHECK(token(llama) == 327680);
  CHECK(token(llama, kBf16, 2) == 163840);
  CHECK(token(llama, kBf16, 8) == 40960);
  CHECK(token(llama, kBf16, 16) == 40960);
  CHECK(token(llama, kBf16, 32) == 40960);
}

TEST_CASE("a latent is stored on every rank") {
  const ModelConfig v3 = preset("deepseek-v3");
  for (const int64_t ranks : {1, 3, 8, 16}) {
    CHECK_NOTHROW(require_ranks(v3, ranks));
    CHECK(token(v3, kBf16, ranks) == 70272);
  }
}

TEST_CASE("ranks that cannot share the heads evenly are one error with both numbers") {
  const ModelConfig llama = preset("llama-3.1-70b");
  for (const int64_t ranks : {1, 2, 4, 8, 16, 64}) CHECK_NOTHROW(require_ranks(llama, ranks));
  for (const int64_t ranks : {3, 5, 6, 7, 9, 12})
    CHECK(names(error_of<std::invalid_argument>([&] { require_ranks(llama, ranks); }), "8 KV heads",
                std::to_string(ranks) + " ranks"));
  CHECK(names(error_of<std::invalid_argument>([&] { require_ranks(llama, 0); }), "1 rank or more"));
}

// --- A device ---

TEST_CASE("what fits is what does not exceed the memory, and one more does") {
  struct Case {
    const char* name;
    int64_t ranks, tokens, batch;
  };
  for (const Case& one :
       {Case{"llama-3.1-8b", 1, 8192, 3}, Case{"llama-3.1-70b", 4, 20000, 2}, Case{"gemma-3-27b", 1, 100000, 1},
        Case{"deepseek-v2-lite", 2, 163840, 7}, Case{"gpt-oss-20b", 1, 131072, 5}}) {
    CAPTURE(std::string(one.name));
    const ModelConfig config = preset(one.name);
    const int64_t tokens = one.tokens, batch = one.batch;
    const Serving serving{weight_bytes(config, kBf16), kBf16, one.ranks, 80 * kGib, 2 * kGib};
    const auto fits = [&](int64_t t, int64_t b) { return free_bytes(config, serving, t, b) >= 0; };
    const int64_t most = most_requests(config, serving, tokens).value();
    REQUIRE(most > 0);
    CHECK(fits(tokens, most));
    CHECK_FALSE(fits(tokens, most + 1));
    const int64_t longest = longest_requests(config, serving, batch).value();
    REQUIRE(longest > 0);
    CHECK(fits(longest, batch));
    CHECK_FALSE(fits(longest + 1, batch));
  }
}

TEST_CASE("weights that do not fit leave no room, and free memory is negative by what is missing") {
  const ModelConfig llama = preset("llama-3.1-70b");
  const Serving serving{weight_bytes(llama, kBf16), kBf16, 1, 80 * kGib, 0};
  CHECK(serving.room() == 80 * kGib - 2 * int64_t{70553706496});
  CHECK(most_requests(llama, serving, 1000) == 0);
  CHECK(longest_requests(llama, serving, 1) == 0);
  CHECK(free_bytes(llama, serving, 1000, 2) == serving.room() - 2 * 1000 * 327680);
}

TEST_CASE("where every layer has a window a request can grow to any length, once its windows fit") {
  const ModelConfig mistral = preset("mistral-7b-v0.1");
  Serving serving{weight_bytes(mistral, kBf16), kBf16, 1, 24 * kGib, 0};
  CHECK_FALSE(longest_requests(mistral, serving, 1).has_value());
  serving.memory_bytes = serving.weights_bytes + 1000 * 131072 + 5;
  CHECK(longest_requests(mistral, serving, 1) == 1000);
}

TEST_CASE("states count once for each request, whatever its length") {
  ModelConfig config = preset("qwen3.5-27b");
  const int64_t state = request_state_bytes(config), row = token(config);
  REQUIRE(state > 0);
  const Serving serving{0, kBf16, 1, 3 * (state + 100 * row) + row, 0};
  CHECK(most_requests(config, serving, 100) == 3);
  CHECK(longest_requests(config, serving, 3) == 100);
  CHECK(free_bytes(config, serving, 100, 3) == row);
}

TEST_CASE("a published log agrees: 3.81 GiB of Llama-3.1-8B's cache hold 1.56 requests of 20,000 tokens") {
  const ModelConfig llama = preset("llama-3.1-8b");
  const int64_t blocks = 1952 * request_cache_bytes(llama, 16, kBf16);
  CHECK(blocks == 1952 * (int64_t{2} << 20));
  const Serving serving{0, kBf16, 1, blocks, 0};
  CHECK(most_requests(llama, serving, 20000) == 1);
  CHECK(longest_requests(llama, serving, 1) == 1952 * 16);
}

TEST_CASE("what does not fit 64 bits is an error, never another number") {
  const ModelConfig llama = preset("llama-3.1-405b");
  CHECK(names(error_of<std::overflow_error>(
                  [&] { request_cache_bytes(llama, std::numeric_limits<int64_t>::max() / 2, kBf16); }),
              "64 bits"));
  CHECK(names(error_of<std::overflow_error>([&] { weight_bytes(int64_t{1} << 62, Dtype::f32); }), "64 bits"));
  const Serving serving{0, kBf16, 1, 80 * kGib, 0};
  CHECK(
      names(error_of<std::overflow_error>([&] { free_bytes(llama, serving, 1 << 30, int64_t{1} << 40); }), "64 bits"));
}

TEST_CASE("where parameters are not known, weights are an error with the reason") {
  CHECK(names(error_of<std::invalid_argument>([] { weight_bytes(preset("qwen3.5-27b"), kBf16); }), "linear attention"));
}

TEST_SUITE_END();
