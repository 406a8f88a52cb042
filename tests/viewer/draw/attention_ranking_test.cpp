#include "viewer/draw/attention_ranking.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "model/random.h"

using namespace kv::viewer;

namespace {

// Weights of `heads` heads that sum to 1 each; zero before first_seen. `sharpness` makes some of them large.
AttentionWeights random_weights_of(int64_t heads, int64_t context, int64_t first_seen, double sharpness) {
  kv::Random random(5, "weights");
  AttentionWeights weights{heads, context, first_seen, {}};
  weights.values.resize(static_cast<size_t>(heads * context));
  for (int64_t head = 0; head < heads; ++head) {
    double sum = 0;
    std::vector<double> row(static_cast<size_t>(context));
    for (int64_t i = first_seen; i < context; ++i)
      sum += row[static_cast<size_t>(i)] = std::exp(sharpness * random.normal());
    for (int64_t i = 0; i < context; ++i)
      weights.values[static_cast<size_t>(head * context + i)] = static_cast<float>(row[static_cast<size_t>(i)] / sum);
  }
  return weights;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("the tokens that hold half of a head's weight are counted as a sort counts them") {
    for (const double sharpness : {0.0, 1.0, 4.0})
      for (const int64_t context : {1, 2, 7, 100, 513}) {
        const AttentionWeights weights = random_weights_of(3, context, context / 3, sharpness);
        for (int64_t head = 0; head < 3; ++head) {
          std::vector<float> sorted(weights.values.begin() + head * context,
                                    weights.values.begin() + (head + 1) * context);
          std::sort(sorted.begin(), sorted.end(), std::greater<>());
          const auto sum_of = [&](int64_t count) {
            return std::accumulate(sorted.begin(), sorted.begin() + count, 0.0,
                                   [](double sum, float weight) { return sum + static_cast<double>(weight); });
          };
          const int64_t half = tokens_with_half(weights, head);
          CAPTURE(context);
          CHECK(half >= 1);
          CHECK(sum_of(half) >= 0.5);
          CHECK(sum_of(half - 1) < 0.5);
        }
      }
  }

  TEST_CASE("the tokens read most come in descending order, with their own weights, and none is larger") {
    const AttentionWeights weights = random_weights_of(2, 90, 11, 2);
    for (int64_t head = 0; head < 2; ++head) {
      const std::vector<ReadToken> most = most_read(weights, head, 8);
      REQUIRE(most.size() == 8);
      CHECK(most.front().weight == largest_weight(weights, head));
      for (size_t i = 0; i < most.size(); ++i) {
        CHECK(most[i].weight == weights.at(head, most[i].position));
        if (i > 0) CHECK(most[i].weight <= most[i - 1].weight);
      }
      int64_t larger = 0;
      for (int64_t position = 0; position < 90; ++position) larger += weights.at(head, position) > most.back().weight;
      CHECK(larger == 7);
    }
  }

  TEST_CASE("of equal weights the earlier position comes first, and a short context gives a short table") {
    AttentionWeights weights{1, 4, 1, {0, 0.25f, 0.5f, 0.25f}};
    const std::vector<ReadToken> most = most_read(weights, 0, 8);
    REQUIRE(most.size() == 3);
    CHECK(most[0].position == 2);
    CHECK(most[1].position == 1);
    CHECK(most[2].position == 3);
  }

  TEST_CASE("an axis reaches the next 1, 2 or 5 times a power of ten, and no further") {
    CHECK(axis_top(1.f) == 1);
    CHECK(axis_top(0.51f) == 1);
    CHECK(axis_top(0.5f) == 0.5);
    CHECK(axis_top(0.31f) == 0.5);
    CHECK(axis_top(0.19f) == doctest::Approx(0.2));
    CHECK(axis_top(0.0123f) == doctest::Approx(0.02));
    CHECK(axis_top(0.00034f) == doctest::Approx(0.0005));
    for (float weight = 1; weight > 1e-6f; weight *= 0.93f) {
      CHECK(axis_top(weight) >= static_cast<double>(weight));
      CHECK(axis_top(weight) <= 2.5 * static_cast<double>(weight) + 1e-12);
    }
  }

  TEST_CASE("ticks go from 0 to the top in equal steps that people can read") {
    for (const double top : {1.0, 0.5, 0.2, 0.05, 0.001})
      for (const float height : {60.f, 300.f}) {
        const std::vector<double> ticks = axis_ticks(top, height);
        CHECK(ticks.front() == 0);
        CHECK(ticks.back() == doctest::Approx(top));
        CHECK(height / static_cast<float>(ticks.size() - 1) >= 26);
        for (const double tick : ticks) CHECK(std::stod(tick_text(tick)) == doctest::Approx(tick).epsilon(1e-9));
      }
  }

  TEST_CASE("weights are written to three places; what is too small for them says so") {
    CHECK(weight_text(0.3124) == "0.312");
    CHECK(weight_text(0.0005) == "0.001");
    CHECK(weight_text(0.0004) == "< 0.001");
    CHECK(weight_text(0) == "0");
    CHECK(weight_text(1) == "1.000");
  }
}
