#include "viewer/draw/cache_words.h"

#include <doctest/doctest.h>

#include "tests/support/tiny_models.h"
#include "tests/support/viewer_runs.h"
#include "viewer/session/attention_view.h"
#include "viewer/session/lane_numbers.h"

using namespace kv;
using namespace kv::viewer;

TEST_SUITE("viewer/draw/cache_words") {
  TEST_CASE("a token's vectors are told with their sizes; where K and V differ, with both") {
    const SizeOf &llama = sizes_to_compare()[0], &deepseek = sizes_to_compare()[2];
    CHECK(stored_vectors(llama.variants[1]) == "8 KV heads of 128");
    CHECK(stored_vectors(llama.variants[2]) == "1 KV head of 128");
    CHECK(stored_vectors(deepseek.variants[0]) == "128 KV heads of 192 (K) and 128 (V)");
    CHECK(stored_vectors(deepseek.variants[3]) == "a latent of 512 and a rope key of 64");
    CHECK(stored_heads(deepseek.variants[0]) == "128 KV heads");
    CHECK(stored_heads(deepseek.variants[3]) == "1 latent");
  }

  TEST_CASE("a ring is as large as the window's older tokens and the largest call together") {
    const ModelConfig config = test::tiny_heads(6, 2, 10, 5);
    const int64_t layer = first_windowed_layer(config);
    REQUIRE(layer >= 0);
    const auto lane_of = [&](int64_t prompt, int64_t capacity) {
      return test::random_lane(config, capacity, std::vector<int32_t>(static_cast<size_t>(prompt), 1));
    };
    const auto short_prompt = lane_of(10, 256);
    REQUIRE(layout_of(*short_prompt).slots(layer) == 14);
    CHECK(ring_words(*short_prompt, layer) ==
          "a ring of 14 slots, for the window's 4 older tokens and the 10 of the prompt's call");
    // Read in pieces of 128.
    const auto long_prompt = lane_of(200, 256);
    REQUIRE(layout_of(*long_prompt).slots(layer) == 132);
    CHECK(ring_words(*long_prompt, layer) ==
          "a ring of 132 slots, for the window's 4 older tokens and the 128 of a call of the prompt");
    const auto small_cache = lane_of(10, 12);
    CHECK(ring_words(*small_cache, layer) == "a ring of 12 slots, as many as the cache has room for");
    CHECK(first_windowed_layer(test::tiny_heads(6, 2, 10)) == -1);
  }
}
