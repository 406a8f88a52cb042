#include "model/files/gguf_config.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/small_gguf.h"

using namespace kv;
using namespace kv::test;

TEST_SUITE("model/files/gguf") {
  TEST_CASE("each key that a model needs is named when it is missing") {
    for (const char* key :
         {"general.architecture", "llama.block_count", "llama.context_length", "llama.embedding_length",
          "llama.feed_forward_length", "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"})
      CHECK(refusal(small_llama().without(key)) == fmt::format("{} is missing", key));
    for (const char* key : {"deepseek2.attention.kv_lora_rank", "deepseek2.rope.dimension_count"})
      CHECK(refusal(small_deepseek().without(key)) == fmt::format("{} is missing", key));
  }

  TEST_CASE("what a file is silent about is assumed, and told") {
    const LoadedModel model = loaded(small_llama()
                                         .with(count_key("llama.embedding_length", 12))
                                         .without("llama.attention.head_count_kv")
                                         .without("llama.attention.key_length")
                                         .without("llama.attention.value_length")
                                         .without("llama.rope.dimension_count")
                                         .without("llama.rope.freq_base")
                                         .with(counting("token_embd.weight", {12, 7}))
                                         .with(counting("blk.0.attn_norm.weight", {12}))
                                         .with(counting("blk.0.attn_q.weight", {12, 12}))
                                         .with(counting("blk.0.attn_k.weight", {12, 12}))
                                         .with(counting("blk.0.attn_v.weight", {12, 12}))
                                         .with(counting("blk.0.attn_output.weight", {12, 12}))
                                         .with(counting("blk.0.ffn_norm.weight", {12}))
                                         .with(counting("blk.0.ffn_gate.weight", {12, 10}))
                                         .with(counting("blk.0.ffn_up.weight", {12, 10}))
                                         .with(counting("blk.0.ffn_down.weight", {10, 12}))
                                         .with(counting("output_norm.weight", {12}))
                                         .with(counting("output.weight", {12, 7})));
    CHECK(model.config.kv_heads == 3);
    CHECK(model.config.key_head_dim == 4);
    CHECK(model.config.rope.dim == 4);
    CHECK(model.config.rope.theta == 10000);
    CHECK(any_says(model.config.assumed, "llama.attention.head_count_kv is absent: 3, as many as head_count"));
    CHECK(any_says(model.config.assumed, "llama.attention.key_length is absent: 4, embedding_length / head_count"));
    CHECK(any_says(model.config.assumed, "llama.attention.value_length is absent: 4, embedding_length / head_count"));
    CHECK(any_says(model.config.assumed, "llama.rope.freq_base is absent: 10000"));
    CHECK(loaded(small_llama()).config.assumed.empty());
    CHECK(any_says(loaded(small_deepseek()).config.assumed, "norms inside latent attention add 1e-06"));
  }

  TEST_CASE("sizes of 0, below 0 and far too large are refused with the key, its place and the range") {
    for (const auto& [key, most] : std::vector<std::pair<std::string, int64_t>>{{"block_count", 1024},
                                                                                {"context_length", 1 << 26},
                                                                                {"embedding_length", 1 << 17},
                                                                                {"feed_forward_length", 1 << 22},
                                                                                {"attention.head_count", 4096},
                                                                                {"attention.head_count_kv", 4096},
                                                                                {"attention.key_length", 2048},
                                                                                {"attention.value_length", 2048},
                                                                                {"rope.dimension_count", 2048}})
      for (const int64_t value : {int64_t{0}, int64_t{-1}, most + 1, int64_t{1} << 31, int64_t{1} << 62})
        expect_refusal_of(small_llama(), Key{"llama." + key, i64, number_bytes(value)},
                          fmt::format("is {}, expected 1 to {}", value, most));
    expect_refusal_of(small_llama(), Key{"llama.block_count", u64, number_bytes<uint64_t>(~uint64_t{0})},
                      "is 18446744073709551615, expected 1 to 1024");
    for (const char* key : {"kv_lora_rank", "key_length_mla", "value_length_mla"})
      CHECK(names(refusal(small_deepseek().with(count_key(fmt::format("deepseek2.attention.{}", key), 0x80000000u))),
                  key, "is 2147483648, expected "));
    // As many layers as are allowed, in a file of one: nothing but their names is made.
    CHECK(refusal(small_llama().with(count_key("llama.block_count", 1024))) == "blk.1.attn_norm.weight is missing");
  }

  TEST_CASE("values of a wrong kind are refused with what they are") {
    expect_refusal_of(small_llama(), text_key("llama.block_count", "one"), "is the text \"one\", expected an integer");
    expect_refusal_of(small_llama(), number_key("llama.attention.head_count", 3), "is 3, expected an integer");
    expect_refusal_of(small_llama(), Key{"llama.attention.head_count", boolean, "\1"}, "is true, expected an integer");
    expect_refusal_of(small_llama(), text_key("llama.rope.freq_base", "1000"),
                      "is the text \"1000\", expected a number");
    expect_refusal_of(small_llama(), count_key("general.architecture", 1), "is 1, expected a text");
    expect_refusal_of(small_llama(), Key{"llama.embedding_length", array, numbers_bytes<int32_t>(i32, {6})},
                      "is an array of 1 integer, expected an integer");
  }

  TEST_CASE("an architecture that kvlab does not read is refused by name, with those that it reads") {
    for (const char* name : {"gemma2", "gpt2", "llama4", "LLAMA", "", "deepseek"})
      expect_refusal_of(small_llama(), text_key("general.architecture", name),
                        fmt::format("is the text \"{}\"; kvlab reads llama, qwen2, qwen3, deepseek2, qwen2moe and "
                                    "qwen3moe",
                                    name));
    // The right keys under another architecture's name are not there.
    CHECK(
        names(refusal(small_llama().with(text_key("general.architecture", "qwen2"))), "qwen2.block_count is missing"));
  }

  TEST_CASE("heads that do not divide, or are not divided, are refused") {
    CHECK(names(refusal(small_llama().with(count_key("llama.attention.head_count_kv", 2))), "head_count_kv (at byte ",
                "2", "3"));
    CHECK(names(refusal(small_llama().with(count_key("llama.attention.head_count_kv", 6))), "head_count_kv (at byte "));
    CHECK(names(
        refusal(small_llama().without("llama.attention.key_length").with(count_key("llama.attention.head_count", 4))),
        "attention.head_count (at byte ", "embedding_length of 6", "attention.key_length is absent"));
    CHECK(names(refusal(small_deepseek().with(count_key("deepseek2.attention.head_count_kv", 2))),
                "deepseek2.attention.head_count_kv (at byte ", "is 2", "1, or as many as head_count (3)"));
    CHECK(names(refusal(small_deepseek().with(count_key("deepseek2.attention.key_length_mla", 2))),
                "key_length_mla (at byte ", "is 2", "rope.dimension_count"));
  }

  TEST_CASE("a rotation of a part of each head is refused, and so is one of an odd size") {
    for (const uint32_t dim : {2u, 6u})
      expect_refusal_of(small_llama(), count_key("llama.rope.dimension_count", dim),
                        fmt::format("is {}; kvlab rotates whole heads, of 4 values", dim));
    CHECK(names(refusal(small_llama()
                            .with(count_key("llama.attention.key_length", 3))
                            .with(count_key("llama.rope.dimension_count", 3))),
                "even", "3"));
  }

  TEST_CASE("epsilon and the rotation's base are numbers that can be computed with") {
    const auto inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    expect_refusal_of(small_llama(), number_key("llama.attention.layer_norm_rms_epsilon", -1),
                      "is -1, expected 0 to 1");
    expect_refusal_of(small_llama(), number_key("llama.attention.layer_norm_rms_epsilon", nan),
                      "is nan, expected a finite number");
    expect_refusal_of(small_llama(), number_key("llama.rope.freq_base", 0), "is not positive");
    expect_refusal_of(small_llama(), number_key("llama.rope.freq_base", -1000), "is not positive");
    expect_refusal_of(small_llama(), number_key("llama.rope.freq_base", inf), "is inf, expected a finite number");
  }

  TEST_CASE("arrays say it per layer: equal ones are one size, unequal ones are kept, a wrong number is refused") {
    const GgufModel even = small_llama()
                               .with(counts_key("llama.attention.head_count", {3}))
                               .with(counts_key("llama.attention.head_count_kv", {1}))
                               .with(counts_key("llama.feed_forward_length", {10}));
    CHECK(sum_of(loaded(even)) == sum_of(loaded(small_llama())));
    CHECK(loaded(even).config.layer_sizes.empty());

    const GgufModel one_layer = small_llama();
    GgufModel uneven = one_layer.with(count_key("llama.block_count", 2))
                           .with(counts_key("llama.attention.head_count_kv", {1, 3}))
                           .with(counts_key("llama.feed_forward_length", {10, 8}));
    for (const Tensor& tensor : one_layer.tensors())
      if (tensor.name.starts_with("blk.0."))
        uneven = uneven.with(counting("blk.1." + tensor.name.substr(6), tensor.sizes));
    uneven = uneven.with(counting("blk.1.attn_k.weight", {6, 12}))
                 .with(counting("blk.1.attn_v.weight", {6, 12}))
                 .with(counting("blk.1.ffn_gate.weight", {6, 8}))
                 .with(counting("blk.1.ffn_up.weight", {6, 8}))
                 .with(counting("blk.1.ffn_down.weight", {8, 6}));
    const LoadedModel model = loaded(uneven);
    CHECK(model.config.sizes_of(0).kv_heads == 1);
    CHECK(model.config.sizes_of(1).kv_heads == 3);
    CHECK(model.config.sizes_of(1).hidden_dim == 8);
    CHECK(model.config.cache_values_per_token() == 1 * 8 + 3 * 8);
    CHECK(value_at(model.weights.layers[1].key, 5, 0) == value_at(model.weights.layers[0].query, 5, 0));

    for (const char* key : {"attention.head_count", "attention.head_count_kv", "feed_forward_length"}) {
      expect_refusal_of(small_llama(), counts_key(fmt::format("llama.{}", key), {3, 3}),
                        "has 2 elements, but llama.block_count is 1");
      expect_refusal_of(small_llama(), counts_key(fmt::format("llama.{}", key), {}),
                        "has 0 elements, but llama.block_count is 1");
    }
    const GgufModel zero = uneven.with(counts_key("llama.attention.head_count_kv", {1, 0}));
    CHECK(refusal(zero) == fmt::format("llama.attention.head_count_kv[1] (at byte {}) is 0, expected 1 to 4096",
                                       place_of(zero, "llama.attention.head_count_kv") + 12 + 4));
    CHECK(names(refusal(uneven.with(counts_key("llama.attention.head_count_kv", {1, 2}))),
                "llama.attention.head_count_kv (at byte ", "layer 1", "2", "3"));
    const Key texts{"llama.feed_forward_length", array, texts_bytes({"10"})};
    expect_refusal_of(small_llama(), texts, "is an array of 1 text, expected an array of integers");
  }

  TEST_CASE("scaling of the rotation is read from the keys of its type, and unknown types are refused") {
    const auto rope = [](const GgufModel& file) { return loaded(file).config.rope; };
    const GgufModel factor = small_llama().with(number_key("llama.rope.scaling.factor", 4));
    CHECK(rope(factor).scaling == RopeConfig::Scaling::linear);
    CHECK(rope(factor).factor == 4);
    CHECK(rope(small_llama().with(number_key("llama.rope.scale_linear", 2))).factor == 2);
    CHECK(rope(factor.with(text_key("llama.rope.scaling.type", "none"))).scaling == RopeConfig::Scaling::none);
    CHECK(rope(small_llama().with(text_key("llama.rope.scaling.type", "linear"))).scaling == RopeConfig::Scaling::none);
    const GgufModel yarn = factor.with(text_key("llama.rope.scaling.type", "yarn"));
    CHECK(rope(yarn).scaling == RopeConfig::Scaling::yarn);
    CHECK(rope(yarn).original_context == 64);
    CHECK(any_says(loaded(yarn).config.assumed, "llama.rope.scaling.original_context_length is absent: 64"));
    const RopeConfig given = rope(yarn.with(count_key("llama.rope.scaling.original_context_length", 16))
                                      .with(number_key("llama.rope.scaling.yarn_beta_fast", 30))
                                      .with(number_key("llama.rope.scaling.yarn_beta_slow", 2)));
    CHECK(given.original_context == 16);
    CHECK(given.beta_fast == 30);
    CHECK(given.beta_slow == 2);
    expect_refusal_of(factor, text_key("llama.rope.scaling.type", "longrope"),
                      "is the text \"longrope\"; kvlab reads none, linear and yarn");
    expect_refusal_of(small_llama(), number_key("llama.rope.scaling.factor", -4), "is negative");
    expect_refusal_of(yarn, number_key("llama.rope.scaling.yarn_beta_slow", 0), "is not positive");
    expect_refusal_of(yarn, number_key("llama.rope.freq_base", 1), "is not above 1, which yarn needs");
  }

  TEST_CASE("yarn of latent attention leaves cos and sin alone, and scales the scores by ten times the key") {
    const GgufModel yarn = small_deepseek()
                               .with(text_key("deepseek2.rope.scaling.type", "yarn"))
                               .with(number_key("deepseek2.rope.scaling.factor", 40));
    CHECK(loaded(yarn).config.rope.attention_factor == 1.0);
    CHECK(loaded(yarn).config.rope.mscale_all_dim == 0.0);
    const ModelConfig config =
        loaded(yarn.with(number_key("deepseek2.rope.scaling.yarn_log_multiplier", 0.0707f))).config;
    CHECK(config.rope.attention_factor == 1.0);
    CHECK(config.rope.mscale_all_dim == doctest::Approx(0.707).epsilon(1e-12));
  }

  TEST_CASE("a rotated part of an odd size, and a mix of frequencies that yarn does not have, are refused") {
    expect_refusal_of(small_deepseek(), count_key("deepseek2.rope.dimension_count", 3),
                      "is 3, expected an even number");
    expect_refusal_of(small_llama()
                          .with(text_key("llama.rope.scaling.type", "yarn"))
                          .with(number_key("llama.rope.scaling.factor", 4)),
                      number_key("llama.rope.scaling.yarn_ext_factor", 0), "is 0; kvlab computes with 1");
  }

  TEST_CASE("rope_freqs divide each pair's frequency: one plain number for each pair") {
    const Tensor divisors{"rope_freqs.weight", {2}, kF32, number_bytes(1.0f) + number_bytes(8.0f)};
    CHECK(loaded(small_llama().with(divisors)).config.rope.divisors == std::vector<double>{1, 8});
    const auto expect_refusal = [](const Tensor& tensor) {
      CHECK(names(refusal(small_llama().with(tensor)), "rope_freqs.weight (at byte "));
    };
    expect_refusal(counting("rope_freqs.weight", {3}));
    expect_refusal(counting("rope_freqs.weight", {2, 1}));
    expect_refusal({"rope_freqs.weight", {2}, kI8, "\1\1"});
    for (const float bad :
         {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      expect_refusal({"rope_freqs.weight", {2}, kF32, number_bytes(1.0f) + number_bytes(bad)});
    CHECK(names(refusal(small_llama().with(counting("rope_factors_long.weight", {2}))), "rope_factors_long.weight",
                "longrope"));
  }

  TEST_CASE("keys that would change the computation are refused by name") {
    for (const char* key : {"attention.sliding_window", "attention.scale", "attn_logit_softcapping", "logit_scale"}) {
      const GgufModel file = small_llama().with(number_key(fmt::format("llama.{}", key), 2));
      CHECK(names(refusal(file), fmt::format("llama.{} (at byte ", key), "is 2", "does not compute"));
    }
    CHECK(names(refusal(small_llama().with(Key{"llama.attention.causal", boolean, std::string(1, '\0')})),
                "llama.attention.causal (at byte ", "false"));
    CHECK(refusal(small_llama().with(Key{"llama.attention.causal", boolean, "\1"})) == "(no error)");
    CHECK(refusal(small_llama().with(text_key("general.author", "somebody"))) == "(no error)");
  }

  TEST_CASE("mixtures of experts are refused with their number; a DeepSeek of dense layers only is not one") {
    const std::string refused = "kvlab inspects and sizes such a model, but runs dense layers only";
    CHECK(names(refusal(small_llama().with(count_key("llama.expert_count", 8))), "a mixture of 8 experts", refused));
    CHECK(names(refusal(small_deepseek().with(count_key("deepseek2.leading_dense_block_count", 0))),
                "a mixture of 64 experts", refused));
    CHECK(names(refusal(small_deepseek().without("deepseek2.leading_dense_block_count")), "64 experts"));
    CHECK(refusal(small_deepseek()) == "(no error)");
    CHECK(refusal(small_llama().with(count_key("llama.expert_count", 0))) == "(no error)");
  }
}
