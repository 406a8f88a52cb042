#include "model/sampler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

using Logits = std::vector<float>;
using Ids = std::vector<int32_t>;

// How often each id is drawn, as a share.
std::map<int32_t, double> shares(const SamplerSettings& settings, const Logits& logits, const Ids& excluded = {}) {
  Sampler sampler(settings);
  std::map<int32_t, double> result;
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) result[sampler.next(logits, excluded)] += 1.0 / kDraws;
  return result;
}

bool close(double a, double b) { return std::abs(a - b) < 0.01; }

const Logits kLogits = {std::log(1.0f), std::log(4.0f), std::log(3.0f), std::log(2.0f)};  // 0.1, 0.4, 0.3, 0.2

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("temperature 0 takes the largest logit, and the lowest id among equals") {
    Sampler sampler({});
    CHECK(sampler.next(Logits{1, 5, 3}) == 1);
    CHECK(sampler.next(Logits{2, 7, 7, 7}) == 1);
    CHECK(sampler.next(Logits{-3, -2, -9}) == 1);
    CHECK(sampler.next(Logits{1, 5, 3}, Ids{1}) == 2);
  }

  TEST_CASE("at temperature 1 each token is drawn as often as its softmax says") {
    const auto drawn = shares({.temperature = 1, .seed = 1}, kLogits);
    CHECK(close(drawn.at(0), 0.1));
    CHECK(close(drawn.at(1), 0.4));
    CHECK(close(drawn.at(2), 0.3));
    CHECK(close(drawn.at(3), 0.2));
  }

  TEST_CASE("a higher temperature levels the shares: logits are divided by it") {
    const auto drawn = shares({.temperature = 2, .seed = 1}, kLogits);
    const double sum = 1 + 2 + std::sqrt(3) + std::sqrt(2);
    CHECK(close(drawn.at(0), 1 / sum));
    CHECK(close(drawn.at(1), 2 / sum));
  }

  TEST_CASE("top_k keeps the k likeliest and shares out the rest") {
    const auto drawn = shares({.temperature = 1, .top_k = 2, .seed = 2}, kLogits);
    CHECK(drawn.size() == 2);
    CHECK(close(drawn.at(1), 4.0 / 7));
    CHECK(close(drawn.at(2), 3.0 / 7));
    CHECK(shares({.temperature = 1, .top_k = 99, .seed = 2}, kLogits).size() == 4);
  }

  TEST_CASE("top_p keeps the smallest set that holds p, and always one") {
    CHECK(shares({.temperature = 1, .top_p = 0.39, .seed = 3}, kLogits).size() == 1);
    CHECK(shares({.temperature = 1, .top_p = 0.41, .seed = 3}, kLogits).size() == 2);
    CHECK(shares({.temperature = 1, .top_p = 0.75, .seed = 3}, kLogits).size() == 3);
    CHECK(shares({.temperature = 1, .top_p = 1e-9, .seed = 3}, kLogits).size() == 1);
  }

  TEST_CASE("top_p counts among what top_k left") {
    // Of 4/7 and 3/7 the first alone holds half.
    CHECK(shares({.temperature = 1, .top_k = 2, .top_p = 0.5, .seed = 3}, kLogits).size() == 1);
  }

  TEST_CASE("excluded tokens are never drawn, and ids beyond the logits do not matter") {
    const auto drawn = shares({.temperature = 1, .seed = 4}, kLogits, {1, 99, -1});
    CHECK(drawn.size() == 3);
    CHECK(!drawn.contains(1));
  }

  TEST_CASE("the same seed draws the same tokens, another seed others") {
    const auto draws = [](uint64_t seed) {
      Sampler sampler({.temperature = 1, .seed = seed});
      Ids ids;
      for (int i = 0; i < 50; ++i) ids.push_back(sampler.next(kLogits));
      return ids;
    };
    CHECK(draws(5) == draws(5));
    CHECK(draws(5) != draws(6));
  }

  TEST_CASE("extreme logits and temperatures draw the likeliest without overflow") {
    CHECK(shares({.temperature = 1e-300}, kLogits).size() == 1);
    CHECK(shares({.temperature = 1}, {3e38f, -3e38f, 0}).size() == 1);
    CHECK(shares({.temperature = 1}, {-INFINITY, 0, -INFINITY}).at(1) == doctest::Approx(1));
  }

  TEST_CASE("NaN, infinity and an empty choice are errors that name the token") {
    for (const double temperature : {0.0, 1.0}) {
      Sampler sampler({.temperature = temperature});
      const auto refusal = [&](const Logits& logits, const Ids& excluded = {}) {
        return error_of<std::invalid_argument>([&] { sampler.next(logits, excluded); });
      };
      CHECK(names(refusal({0, NAN, 1}), "token 1", "nan"));
      CHECK(names(refusal({0, 2, INFINITY}), "token 2", "inf"));
      CHECK(names(refusal({1, 2}, {0, 1}), "no token"));
      CHECK(names(refusal({}), "no token"));
      CHECK(names(refusal({-INFINITY}), "no token"));
    }
  }

  TEST_CASE("settings without a meaning are refused by name") {
    const auto refusal = [](const SamplerSettings& settings) {
      return error_of<std::invalid_argument>([&] { Sampler sampler(settings); });
    };
    CHECK(names(refusal({.temperature = -1}), "temperature", "-1"));
    CHECK(names(refusal({.temperature = NAN}), "temperature"));
    CHECK(names(refusal({.top_k = -2}), "top_k", "-2"));
    CHECK(names(refusal({.top_p = 0}), "top_p", "0"));
    CHECK(names(refusal({.top_p = 1.5}), "top_p", "1.5"));
    CHECK(names(refusal({.top_p = NAN}), "top_p"));
  }
}
