#include "model/config.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

ModelConfig per_head_config(int64_t layers, int64_t heads, int64_t kv_heads, int64_t head_dim, int64_t model_dim) {
  ModelConfig config;
  config.layers = layers;
  config.model_dim = model_dim;
  config.hidden_dim = 7;
  config.vocab = 11;
  config.max_context = 128;
  config.heads = heads;
  config.kv_heads = kv_heads;
  config.key_head_dim = config.value_head_dim = config.rope.dim = head_dim;
  config.layer_cache.assign(static_cast<size_t>(layers), LayerCache::per_head(kv_heads, head_dim, head_dim));
  return config;
}

ModelConfig latent_config(int64_t layers, int64_t heads, int64_t latent_dim, int64_t nope, int64_t rope,
                          int64_t value) {
  ModelConfig config = per_head_config(layers, heads, heads, nope + rope, 33);
  config.family = Family::deepseek_v3;
  config.value_head_dim = value;
  config.rope.dim = rope;
  config.latent = {.latent_dim = latent_dim, .nope_dim = nope, .rope_dim = rope};
  config.layer_cache.assign(static_cast<size_t>(layers), LayerCache::latent(latent_dim, rope));
  return config;
}

std::string refusal(const ModelConfig& config) {
  return error_of<std::invalid_argument>([&] { validate(config); });
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("a per-head cache stores key and value of every key-value head; K and V may differ") {
    CHECK(LayerCache::per_head(8, 128, 128).values_per_token() == 2048);
    CHECK(LayerCache::per_head(3, 10, 7).values_per_token() == 51);
  }

  TEST_CASE("a latent cache stores the latent and the rope key, once for all heads") {
    // DeepSeek-V3 and V2-Lite in 2 bytes a value. Sized as if every head had its own, V3 would be 71 times larger.
    CHECK(latent_config(61, 128, 512, 128, 64, 128).cache_bytes(1, Dtype::bf16) == 70272);
    CHECK(latent_config(27, 16, 512, 128, 64, 128).cache_bytes(1, Dtype::bf16) == 31104);
  }

  TEST_CASE("a layer that shares stores nothing, nor does one without attention") {
    CHECK(LayerCache::shared_with(0).values_per_token() == 0);
    CHECK(LayerCache().values_per_token() == 0);
  }

  TEST_CASE("a window layer keeps the window's positions, and a whole model is the sum over its layers") {
    ModelConfig config = per_head_config(3, 4, 2, 8, 30);
    config.layer_cache[1].window = 5;
    CHECK(config.layer_cache[1].positions_kept(4) == 4);
    CHECK(config.layer_cache[1].positions_kept(5) == 5);
    CHECK(config.layer_cache[1].positions_kept(6) == 5);
    CHECK(config.layer_cache[0].positions_kept(1000) == 1000);
    CHECK(config.cache_values_per_token() == 3 * 32);
    CHECK(config.cache_bytes(100, Dtype::f32) == (100 + 5 + 100) * 32 * 4);
    CHECK(config.cache_bytes(0, Dtype::f32) == 0);
  }

  TEST_CASE("Llama-3.1-8B at 131,072 tokens takes 16 GiB in bf16") {
    CHECK(per_head_config(32, 32, 8, 128, 4096).cache_bytes(131072, Dtype::bf16) == 17179869184);
  }

  TEST_CASE("the factor on scores is head_dim^-1/2, and yarn's mscale_all_dim enters it for latent attention only") {
    CHECK(per_head_config(1, 4, 2, 64, 30).attention_scale() == 0.125);
    ModelConfig v3 = latent_config(1, 4, 16, 128, 64, 128);
    CHECK(v3.attention_scale() == doctest::Approx(std::pow(192, -0.5)));
    v3.rope.scaling = RopeConfig::Scaling::yarn;
    v3.rope.factor = 40;
    CHECK(v3.attention_scale() == doctest::Approx(std::pow(192, -0.5)));  // no mscale_all_dim
    v3.rope.mscale_all_dim = 1;
    CHECK(v3.attention_scale() == doctest::Approx(0.135234).epsilon(1e-5));
    v3.rope.mscale_all_dim = 0.707;
    CHECK(v3.attention_scale() == doctest::Approx(0.114721).epsilon(1e-5));

    ModelConfig llama = per_head_config(1, 4, 2, 64, 30);
    llama.rope = v3.rope;
    CHECK(llama.attention_scale() == 0.125);
  }

  TEST_CASE("a config that can be computed with is accepted") {
    CHECK(refusal(per_head_config(2, 6, 2, 8, 30)) == "(no error)");
    CHECK(refusal(latent_config(2, 4, 16, 12, 8, 10)) == "(no error)");
  }

  TEST_CASE("a config that cannot be computed with is refused, with the field and its value") {
    ModelConfig config = per_head_config(2, 6, 4, 8, 30);
    CHECK(names(refusal(config), "heads (6)", "kv_heads (4)"));
    config = per_head_config(2, 6, 0, 8, 30);
    CHECK(names(refusal(config), "kv_heads", "0"));
    config = per_head_config(2, 6, 2, 7, 30);
    CHECK(names(refusal(config), "even", "7"));
    config = per_head_config(2, 6, 2, 8, 30);
    config.layer_cache.pop_back();
    CHECK(names(refusal(config), "1 cache", "2 layers"));
    config = per_head_config(2, 6, 2, 8, 30);
    config.layer_cache[0] = LayerCache::shared_with(1);
    CHECK(names(refusal(config), "layer 0", "shares"));
    config = per_head_config(2, 6, 2, 8, 30);
    config.layer_cache[1].window = -1;
    CHECK(names(refusal(config), "layer 1", "window"));
    config = per_head_config(2, 6, 2, 8, 30);
    config.rope.theta = NAN;
    CHECK(names(refusal(config), "theta"));
    config = latent_config(2, 4, 16, 12, 8, 10);
    config.kv_heads = 2;
    CHECK(names(refusal(config), "kv_heads (2)", "heads (4)"));
    config = latent_config(2, 4, 16, 12, 8, 10);
    config.key_head_dim = 12;
    CHECK(names(refusal(config), "nope_dim + rope_dim"));
  }

  TEST_CASE("a model that is only described may rotate part of each head or none, and nothing more") {
    ModelConfig config = per_head_config(2, 6, 2, 8, 30);
    for (const int64_t dim : {0, 3, 8}) {
      config.rope.dim = dim;
      config.cannot_run = "";
      CHECK((refusal(config) == "(no error)") == (dim == 8));
      config.cannot_run = "its activation is not computed here";
      CHECK(refusal(config) == "(no error)");
    }
    config.rope.dim = 9;
    CHECK(names(refusal(config), "rope dimension is 9", "key_head_dim of 8"));
    config.rope.dim = -2;
    CHECK(names(refusal(config), "rope dimension is -2"));
  }

  TEST_CASE("experts that are used are there, and have a size") {
    ModelConfig config = per_head_config(2, 6, 2, 8, 30);
    config.experts = {.count = 4, .used = 2, .hidden_dim = 9};
    CHECK(refusal(config) == "(no error)");
    CHECK(config.sizes_of(1).experts);
    config.experts.used = 5;
    CHECK(names(refusal(config), "4 experts", "uses 5"));
    config.experts = {.count = 4, .used = 2};
    CHECK(names(refusal(config), "hidden_dim of experts is 0"));
  }

  TEST_CASE("a layer without attention keeps its state, and nothing for a token") {
    ModelConfig config = per_head_config(3, 6, 2, 8, 30);
    config.layer_cache[1] = {};
    config.layer_cache[1].state_bytes = 1000;
    CHECK(refusal(config) == "(no error)");
    CHECK(config.cache_bytes(10, Dtype::f32) == 2 * 10 * 32 * 4);
    config.layer_cache[1].state_bytes = -1;
    CHECK(names(refusal(config), "layer 1", "state"));
  }
}
