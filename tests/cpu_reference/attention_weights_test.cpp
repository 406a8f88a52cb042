#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "cpu_reference/attention.h"
#include "cpu_reference/latent_attention.h"
#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

struct Case {
  int64_t heads, kv_heads, key_dim, window;
};
// MHA, GQA with ratios 3 and 7, MQA; windows below, at and above a split.
const Case kCases[] = {{2, 2, 16, 0}, {6, 2, 10, 0}, {7, 1, 24, 0}, {3, 3, 17, 20}, {6, 2, 10, 512}, {8, 1, 8, 600}};
const int64_t kContexts[] = {1, 2, 15, 16, 17, 511, 512, 513, 700, 1100};

// Values that are the identity: what attend gives for position p is then the weight of p.
template <class Scalar>
StoredBlock identity_values(int64_t positions, int64_t kv_heads, Dtype dtype) {
  Matrix<Scalar> values = Matrix<Scalar>::Zero(positions, kv_heads * positions);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t head = 0; head < kv_heads; ++head) values(p, head * positions + p) = 1;
  return StoredBlock(Rows<Scalar>(values), kv_heads, dtype);
}

template <class Scalar>
int cases_that_differ(Dtype dtype) {
  Team team(2, 1);
  int differ = 0;
  for (const Case& c : kCases)
    for (const int64_t context : kContexts) {
      const Matrix<Scalar> k = random_matrix<Scalar>(context, c.kv_heads * c.key_dim, "k");
      const StoredBlock keys(Rows<Scalar>(k), c.kv_heads, dtype);
      const StoredBlock values = identity_values<Scalar>(context, c.kv_heads, dtype);
      const int64_t tokens = std::min<int64_t>(context, 3);
      const Matrix<Scalar> queries = random_matrix<Scalar>(tokens, c.heads * c.key_dim, "q");
      const AttentionShape shape{c.heads, 0.7, c.window, context - tokens};
      differ += !same_bits(attention_weights<Scalar>(queries, keys.view(), shape, Run{team}),
                           attend<Scalar>(queries, keys.view(), values.view(), shape, Run{team}));
    }
  return differ;
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("attention weights are what attend gives over the identity, bit for bit") {
  CHECK(cases_that_differ<float>(Dtype::bf16) == 0);
  CHECK(cases_that_differ<float>(Dtype::f32) == 0);
  CHECK(cases_that_differ<double>(Dtype::f64) == 0);
}

TEST_CASE("the weights of a head sum to 1, and are 0 before the window and behind the row") {
  Team team(2, 1);
  for (const Case& c : kCases)
    for (const int64_t context : kContexts) {
      const StoredBlock keys(Rows<float>(random_matrix(context, c.kv_heads * c.key_dim, "k")), c.kv_heads, Dtype::bf16);
      const int64_t tokens = std::min<int64_t>(context, 3);
      const Matrix<float> queries = random_matrix(tokens, c.heads * c.key_dim, "q");
      const Matrix<float> weights =
          attention_weights<float>(queries, keys.view(), {c.heads, 0.7, c.window, context - tokens}, Run{team});
      REQUIRE(weights.cols() == c.heads * context);
      double worst = 0;
      int outside = 0;
      for (int64_t t = 0; t < tokens; ++t)
        for (int64_t head = 0; head < c.heads; ++head) {
          const int64_t position = context - tokens + t;
          double sum = 0;
          for (int64_t p = 0; p < context; ++p) {
            const float weight = weights(t, head * context + p);
            sum += weight;
            const bool seen = p <= position && (c.window == 0 || p > position - c.window);
            outside += !seen && weight != 0;
          }
          worst = std::max(worst, std::abs(sum - 1));
        }
      CHECK(worst <= 2e-6);
      CHECK(outside == 0);
    }
}

TEST_CASE("latent weights of either form are those that its attend has in the trace") {
  Team team(1);
  const TinyModel tiny(tiny_latent());
  for (const int64_t context : {1, 9, 530}) {
    const StoredBlock stored(Rows<float>(random_matrix(context, 28, "stored")), 1, Dtype::bf16);
    const int64_t tokens = std::min<int64_t>(context, 2), past = context - tokens;
    const Matrix<float> queries = random_matrix(tokens, 5 * 22, "queries");
    const WeightMatrix& up = tiny.weights.layers[0].latent_up;
    for (const LatentForm form : {LatentForm::absorbed, LatentForm::materialised}) {
      Trace trace(std::vector<std::string>{"attention_weights"});
      trace.begin_call(past, tokens, 3);
      attend_latent<float>(form, queries, stored.view(), up, tiny.config, past, Run{team, &trace}.in_layer(1));
      const TracedTensor& traced = trace.tensor(0, "layer.1.attention_weights");
      CHECK(traced.shape == Shape{tokens, 5, context});
      const Matrix<float> weights =
          latent_attention_weights<float>(form, queries, stored.view(), up, tiny.config, past, Run{team});
      REQUIRE(static_cast<size_t>(weights.size()) == traced.values.size());
      CHECK(std::equal(traced.values.begin(), traced.values.end(), weights.data(),
                       [](double a, float b) { return static_cast<float>(a) == b; }));
    }
  }
}

TEST_CASE("a trace keeps the tensors that it is asked for, and attention weights only by their name") {
  Team team(1);
  const TinyModel tiny(tiny_heads(6, 2, 10));
  const auto tokens = random_tokens(tiny.config, 7);
  const auto traced = [&](Trace trace) {
    KvCache cache(tiny.config, 16, Dtype::bf16);
    prefill<float>(tiny.model(), tokens, cache, LatentForm::absorbed, LogitRows::last, Run{team, &trace});
    return trace;
  };
  const auto names = [](const Trace& trace) {
    std::vector<std::string> names;
    for (const TracedTensor& tensor : trace.calls().at(0).tensors) names.push_back(tensor.name);
    return names;
  };
  const Trace counters = traced(Trace()), all = traced(Trace(Trace::Keep::counters_and_tensors)),
              queries = traced(Trace({"queries"})), two = traced(Trace({"attention_weights", "queries"}));
  CHECK(names(counters).empty());
  CHECK(names(queries) == std::vector<std::string>{"layer.0.queries", "layer.1.queries", "layer.2.queries"});
  CHECK(names(two) == std::vector<std::string>{"layer.0.queries", "layer.0.attention_weights", "layer.1.queries",
                                               "layer.1.attention_weights", "layer.2.queries",
                                               "layer.2.attention_weights"});
  for (const std::string& name : names(all)) CHECK(name.find("attention_weights") == std::string::npos);
  CHECK(all.tensor(0, "layer.2.queries").values == queries.tensor(0, "layer.2.queries").values);
  // Looking costs nothing that is counted.
  CHECK(two.total() == counters.total());
  CHECK(two.tensor(0, "layer.1.attention_weights").shape == Shape{7, 6, 7});
}

TEST_SUITE_END();
