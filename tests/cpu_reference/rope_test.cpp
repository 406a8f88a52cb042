#include "cpu_reference/rope.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

RopeConfig plain(int64_t dim, RopeConfig::Pairing pairing = RopeConfig::Pairing::half) {
  RopeConfig config;
  config.dim = dim;
  config.pairing = pairing;
  return config;
}

// x [1, heads * head_dim] rotated as position p.
Matrix<double> rotated(Matrix<double> x, int64_t head_dim, const RopeConfig& config, int64_t position) {
  Team team(1);
  rotate<double>(x, head_dim, 0, rope_table<double>(config, position, x.rows()), config.pairing, Run{team});
  return x;
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("a hand-made rotation: the first pair turns by the position itself, in radians") {
  Matrix<double> x(1, 4);
  x << 1, 10, 0, 20;
  const Matrix<double> half = rotated(x, 4, plain(4), 7);
  CHECK(half(0, 0) == doctest::Approx(std::cos(7.0)).epsilon(1e-14));
  CHECK(half(0, 2) == doctest::Approx(std::sin(7.0)).epsilon(1e-14));
  CHECK(half(0, 1) == doctest::Approx(10 * std::cos(0.07) - 20 * std::sin(0.07)).epsilon(1e-14));
  CHECK(half(0, 3) == doctest::Approx(20 * std::cos(0.07) + 10 * std::sin(0.07)).epsilon(1e-14));
  const Matrix<double> pairs = rotated(x, 4, plain(4, RopeConfig::Pairing::interleaved), 7);
  CHECK(pairs(0, 0) == doctest::Approx(std::cos(7.0) - 10 * std::sin(7.0)).epsilon(1e-14));
  CHECK(pairs(0, 1) == doctest::Approx(10 * std::cos(7.0) + std::sin(7.0)).epsilon(1e-14));
  CHECK(pairs(0, 2) == doctest::Approx(-20 * std::sin(0.07)).epsilon(1e-14));
}

TEST_CASE("query . key depends on the distance between positions alone") {
  for (const auto pairing : {RopeConfig::Pairing::half, RopeConfig::Pairing::interleaved}) {
    const Matrix<double> q = random_matrix<double>(1, 10, "q"), k = random_matrix<double>(1, 10, "k");
    const RopeConfig config = plain(10, pairing);
    const auto score = [&](int64_t at_q, int64_t at_k) {
      return rotated(q, 10, config, at_q).row(0).dot(rotated(k, 10, config, at_k).row(0));
    };
    CHECK(score(9, 4) == doctest::Approx(score(105, 100)).epsilon(1e-12));
    CHECK(std::abs(score(9, 4) - score(9, 5)) > 1e-3);
  }
}

TEST_CASE("the row of a position is the same in a table of one and of many") {
  const RopeConfig config = plain(12);
  const RopeTable<float> many = rope_table<float>(config, 3, 40);
  const RopeTable<float> one = rope_table<float>(config, 29, 1);
  CHECK(same_bits<float>(many.cos.row(26), one.cos));
  CHECK(same_bits<float>(many.sin.row(26), one.sin));
}

TEST_CASE("only the given part of each head turns") {
  Team team(1);
  const Matrix<float> x = random_matrix(2, 30, "x");
  Matrix<float> y = x;
  rotate<float>(y, 10, 6, rope_table<float>(plain(4), 5, 2), RopeConfig::Pairing::half, Run{team});
  for (int64_t head = 0; head < 3; ++head) {
    CHECK(same_bits<float>(x.middleCols(head * 10, 6), y.middleCols(head * 10, 6)));
    CHECK_FALSE(same_bits<float>(x.middleCols(head * 10 + 6, 4), y.middleCols(head * 10 + 6, 4)));
  }
}

TEST_CASE("Llama 3.1's scaling divides 29 pairs by 8, keeps 29, and blends the six between") {
  RopeConfig config = plain(128);
  config.theta = 500000;
  const std::vector<double> before = rope_frequencies(config);
  config.scaling = RopeConfig::Scaling::llama3;
  config.factor = 8;
  config.low_freq_factor = 1;
  config.high_freq_factor = 4;
  config.original_context = 8192;
  const std::vector<double> after = rope_frequencies(config);
  const double between[] = {1.207484, 1.553415, 2.026313, 2.694530, 3.684253, 5.257327};
  for (size_t pair = 0; pair < 64; ++pair) {
    const double expected = pair < 29 ? 1.0 : pair < 35 ? between[pair - 29] : 8.0;
    CHECK(before[pair] / after[pair] == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("linear scaling divides every frequency") {
  RopeConfig config = plain(8);
  const std::vector<double> before = rope_frequencies(config);
  config.scaling = RopeConfig::Scaling::linear;
  config.factor = 4;
  const std::vector<double> after = rope_frequencies(config);
  for (size_t pair = 0; pair < 4; ++pair) CHECK(after[pair] == before[pair] / 4);
}

TEST_CASE("yarn keeps fast pairs, divides slow ones, and scales cos and sin") {
  RopeConfig config = plain(64);
  const std::vector<double> before = rope_frequencies(config);
  config.scaling = RopeConfig::Scaling::yarn;
  config.factor = 40;
  config.original_context = 4096;
  const std::vector<double> after = rope_frequencies(config);
  CHECK(after.front() == before.front());
  CHECK(after.back() == doctest::Approx(before.back() / 40).epsilon(1e-12));
  CHECK(rope_magnitude(config) == doctest::Approx(0.1 * std::log(40.0) + 1).epsilon(1e-14));
  config.mscale = config.mscale_all_dim = 1;
  CHECK(rope_magnitude(config) == 1.0);
  config.attention_factor = 1.25;
  CHECK(rope_magnitude(config) == 1.25);
}

TEST_CASE("yarn's mscale_all_dim raises the softmax scale of latent attention: DeepSeek-V3's is 0.135234") {
  ModelConfig config = tiny_latent();
  config.key_head_dim = 192;
  config.rope.scaling = RopeConfig::Scaling::yarn;
  config.rope.factor = 40;
  config.rope.mscale = config.rope.mscale_all_dim = 1;
  CHECK(config.attention_scale() == doctest::Approx(0.135234).epsilon(1e-5));
  config.rope.mscale_all_dim = 0.707;
  CHECK(config.attention_scale() == doctest::Approx(0.114721).epsilon(1e-5));
}

TEST_SUITE_END();
