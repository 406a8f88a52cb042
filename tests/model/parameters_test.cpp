#include "model/parameters.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "model/files/hf_config.h"
#include "model/presets.h"
#include "model/weights.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

ModelConfig preset(std::string_view name) {
  const Preset* found = find_preset(name);
  REQUIRE(found != nullptr);
  return config_of(*found);
}

int64_t values_of_tensors(const ModelConfig& config) {
  Weights weights;
  int64_t values = 0;
  for (const ExpectedTensor& tensor : expected_tensors(config, weights)) values += tensor.rows * tensor.cols;
  return values;
}

// A model of one layer whose sizes are all different.
ModelConfig small() {
  ModelConfig config;
  config.layers = 1;
  config.model_dim = 30;
  config.hidden_dim = 46;
  config.vocab = 101;
  config.heads = 6;
  config.kv_heads = 2;
  config.key_head_dim = 8;
  config.value_head_dim = 10;
  return config;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("for every model that runs, the count is that of the tensors that loading asks for") {
    int runnable = 0;
    for (const Preset& one : presets()) {
      const ModelConfig config = config_of(one);
      if (!config.cannot_run.empty()) continue;
      ++runnable;
      CAPTURE(std::string(one.name));
      CHECK(count_parameters(config).total() == values_of_tensors(config));
    }
    CHECK(runnable >= 20);
    ModelConfig config = small();
    config.qkv_bias = config.output_bias = config.feed_forward_bias = config.query_key_norm = true;
    CHECK(count_parameters(config).total() == values_of_tensors(config));
    config.layer_sizes = {{3, 1, 13}};
    CHECK(count_parameters(config).total() == values_of_tensors(config));
    config.latent = {.query_latent_dim = 26, .latent_dim = 20, .nope_dim = 5, .rope_dim = 3};
    CHECK(count_parameters(config).total() == values_of_tensors(config));
    config.latent.query_latent_dim = 0;
    CHECK(count_parameters(config).total() == values_of_tensors(config));
  }

  TEST_CASE("a tied head is counted once: GPT-2 small has 124,439,808 parameters, and untied 163,037,184") {
    ModelConfig config = preset("gpt2");
    const ParameterCount tied = count_parameters(config);
    CHECK(tied.total() == 124439808);
    CHECK(tied.head == 0);
    config.tied_embeddings = false;
    const ParameterCount untied = count_parameters(config);
    CHECK(untied.total() == 163037184);
    CHECK(untied.head == 50257 * 768);
    CHECK(untied.embedding == tied.embedding);
    config.head_bias = true;
    CHECK(count_parameters(config).total() == 163037184 + 50257);
  }

  TEST_CASE("each part is what it is called") {
    ModelConfig config = small();
    ParameterCount count = count_parameters(config);
    CHECK(count.embedding == 101 * 30);
    CHECK(count.attention == 48 * 30 + 16 * 30 + 20 * 30 + 30 * 60);
    CHECK(count.feed_forward == 3 * 46 * 30);
    CHECK(count.experts == 0);
    CHECK(count.norms == 3 * 30);
    CHECK(count.head == 101 * 30);
    CHECK(count.active() == count.total());

    config.qkv_bias = config.output_bias = config.attention_sinks = true;
    CHECK(count_parameters(config).attention == count.attention + 48 + 16 + 20 + 30 + 6);
    config.feed_forward_bias = true;
    CHECK(count_parameters(config).feed_forward == count.feed_forward + 46 + 46 + 30);
    config.gated_feed_forward = false;
    CHECK(count_parameters(config).feed_forward == 2 * 46 * 30 + 46 + 30);
    config.norms_per_layer = 4;
    config.norm_bias = true;
    config.learned_positions = 7;
    count = count_parameters(config);
    CHECK(count.norms == 5 * 2 * 30);
    CHECK(count.embedding == 108 * 30);
    config.query_key_norm = true;
    CHECK(count_parameters(config).norms == count.norms + 2 * 8);
    config.query_key_norm = false;
    config.norm_of_all_heads = true;
    CHECK(count_parameters(config).norms == count.norms + (6 + 2) * 8);
  }

  TEST_CASE("of the experts a token runs some, the router and the shared network always") {
    ModelConfig config = small();
    config.layers = 3;
    config.experts = {.count = 5, .used = 2, .hidden_dim = 11, .shared_hidden_dim = 17};
    ParameterCount count = count_parameters(config);
    CHECK(count.feed_forward == 0);
    CHECK(count.experts == 3 * (5 * 30 + 5 * 3 * 11 * 30 + 3 * 17 * 30));
    CHECK(count.active_experts == 3 * (5 * 30 + 2 * 3 * 11 * 30 + 3 * 17 * 30));
    CHECK(count.active() == count.total() - 3 * 3 * 3 * 11 * 30);
    config.experts.router_bias = config.experts.expert_bias = config.experts.shared_gate = true;
    CHECK(count_parameters(config).experts == count.experts + 3 * (5 + 5 * (11 + 11 + 30) + 30));
    config.layer_sizes = {{6, 2, 46, false}, {6, 2, 46, true}, {6, 2, 46, true}};
    count = count_parameters(config);
    CHECK(count.feed_forward == 3 * 46 * 30);
    CHECK(count.experts == 2 * (5 * 31 + 5 * (3 * 11 * 30 + 52) + 3 * 17 * 30 + 30));
  }

  TEST_CASE("what a token runs of a mixture of experts is what its makers published") {
    const auto billions = [](std::string_view name, bool with_embedding = true) {
      const ParameterCount count = count_parameters(preset(name));
      return static_cast<double>(count.active() - (with_embedding ? 0 : count.embedding)) * 1e-9;
    };
    CHECK(billions("mixtral-8x7b") == doctest::Approx(12.9).epsilon(0.005));
    CHECK(billions("qwen3-30b-a3b") == doctest::Approx(3.3).epsilon(0.02));
    CHECK(billions("deepseek-v2") == doctest::Approx(21).epsilon(0.03));
    CHECK(billions("deepseek-v3") == doctest::Approx(37).epsilon(0.02));
    // Their makers leave the embedding out, of which a token reads one row.
    CHECK(billions("deepseek-v2-lite", false) == doctest::Approx(2.4).epsilon(0.03));
    CHECK(billions("gpt-oss-20b", false) == doctest::Approx(3.6).epsilon(0.005));
    CHECK(billions("gpt-oss-120b", false) == doctest::Approx(5.1).epsilon(0.01));
  }

  TEST_CASE("DeepSeek-V3's routers choose with a bias, one for each expert of its 58 sparse layers") {
    ModelConfig config = preset("deepseek-v3");
    const int64_t with_bias = count_parameters(config).experts;
    config.experts.router_bias = false;
    CHECK(with_bias - count_parameters(config).experts == 58 * 256);
  }

  TEST_CASE("where parameters are not known, the reason stands instead of a number") {
    const ModelConfig config = preset("qwen3.5-27b");
    CHECK(names(error_of<std::invalid_argument>([&] { count_parameters(config); }), "linear attention"));
  }

  TEST_CASE("more parameters than 64 bits can count are an error, never a wrong number") {
    ModelConfig config = small();
    config.experts = {.count = int64_t{1} << 40, .used = 1, .hidden_dim = int64_t{1} << 40};
    CHECK(names(error_of<std::overflow_error>([&] { count_parameters(config); }), "more than kvlab can count"));
    config = small();
    config.vocab = int64_t{1} << 53;
    CHECK(names(error_of<std::overflow_error>([&] { count_parameters(config); }), "more than kvlab can count"));
    config.vocab = int64_t{1} << 52;
    CHECK(count_parameters(config).embedding == 30 * (int64_t{1} << 52));
  }
}
