// A real model of 135 million parameters, where its file is there: against transformers on the same numbers, against
// the unquantised model, and the flagship claim at its size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cpu_reference/generate.h"
#include "cpu_reference/transformer.h"
#include "model/files/json.h"
#include "model/files/load_model.h"
#include "model/sampler.h"
#include "tests/support/compare.h"
#include "tests/support/smollm2.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

Matrix<float> last_logits(const LoadedModel& model, const std::vector<int32_t>& ids) {
  Team team(2);
  KvCache cache(model.config, std::ssize(ids), Dtype::f32);
  return prefill<float>({model.config, model.weights}, ids, cache, LatentForm::absorbed, LogitRows::last, Run{team});
}

std::vector<int32_t> largest(const Matrix<float>& logits, size_t count) {
  std::vector<int32_t> ids(static_cast<size_t>(logits.cols()));
  std::iota(ids.begin(), ids.end(), 0);
  const auto before = [&](int32_t a, int32_t b) { return logits(0, a) > logits(0, b); };
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(), before);
  ids.resize(count);
  return ids;
}

std::vector<int32_t> ids_of(const JsonValue& list) {
  std::vector<int32_t> ids;
  for (const JsonValue& id : list.elements()) ids.push_back(static_cast<int32_t>(id.integer(0, 49151)));
  return ids;
}

Generation generated(const LoadedModel& model, const std::vector<int32_t>& prompt, GenerateOptions options,
                     int threads = 2) {
  Team team(threads);
  Sampler sampler(SamplerSettings{});
  options.stop_at_end = false;
  return generate(
      {model.config, model.weights}, prompt, options, sampler, [](int32_t) {}, Run{team});
}

}  // namespace

TEST_SUITE_BEGIN("smollm2");

TEST_CASE("SmolLM2's logits and greedy tokens are those of transformers on the same quantised numbers") {
  const auto path = smollm2_or_skip();
  if (!path) return;
  const LoadedModel model = load_model(*path);
  const JsonValue cases = JsonValue::read(std::string(KVLAB_SOURCE_DIR) + "/tests/goldens/smollm2_logits.json");
  REQUIRE(cases.elements().size() == 3);
  for (const JsonValue& expected : cases.elements()) {
    const std::vector<int32_t> prompt = ids_of(expected.at("prompt"));
    const Matrix<float> logits = last_logits(model, prompt);
    const std::vector<int32_t> top = largest(logits, 5);
    const std::vector<JsonValue> places = expected.at("top").elements();
    for (size_t i = 0; i < 5; ++i) {
      const std::vector<JsonValue> pair = places[i].elements();
      CHECK(top[i] == pair[0].integer(0, 49151));
      CHECK(std::abs(static_cast<double>(logits(0, top[i])) - pair[1].number()) <= 2e-3);  // of about 30
    }
    GenerateOptions options;
    options.tokens = 20;
    options.cache_dtype = Dtype::f32;
    CHECK(generated(model, prompt, options).tokens == ids_of(expected.at("greedy")));
  }
}

// The unquantised model's five largest logits, from a public reference output (four of them, of the second and third
// prompt). Four bits a weight move "Hello" to another first token: there the first was first by 0.015 only.
TEST_CASE("SmolLM2 in four bits keeps the first token of the unquantised model, and shares two of its largest five") {
  const auto path = smollm2_or_skip();
  if (!path) return;
  const LoadedModel model = load_model(*path);
  struct Published {
    std::vector<int32_t> prompt;
    std::set<int32_t> top;
    int32_t first;  // -1: nearly even
  };
  const Published published[] = {{{19556}, {28, 198, 260, 288, 30}, -1},
                                 {{504, 3575, 282, 4649, 314}, {7042, 260, 3807, 1217}, 7042},
                                 {{1604, 3987, 46477, 24, 94, 727}, {472, 3136, 16390}, 472}};
  for (const Published& expected : published) {
    const std::vector<int32_t> top = largest(last_logits(model, expected.prompt), 5);
    if (expected.first >= 0) CHECK(top.front() == expected.first);
    CHECK(std::count_if(top.begin(), top.end(), [&](int32_t id) { return expected.top.count(id) > 0; }) >= 2);
  }
}

TEST_CASE("SmolLM2's logits are the same bits with and without the cache, in chunks, with one thread and two") {
  const auto path = smollm2_or_skip();
  if (!path) return;
  const std::vector<int32_t> prompt = {504, 3575, 282, 4649, 314, 253, 2240, 338, 12, 504, 3575};
  std::set<uint64_t> kinds;
  for (const std::optional<Dtype> weights :
       {std::optional<Dtype>(), std::optional(Dtype::f32), std::optional(Dtype::bf16)}) {
    const LoadedModel model = load_model(*path, {weights});
    GenerateOptions options;
    options.tokens = 4;
    const uint64_t hash = generated(model, prompt, options).logits_hash;
    CHECK(generated(model, prompt, options, 1).logits_hash == hash);
    options.chunks = {3, 1, 7};
    CHECK(generated(model, prompt, options).logits_hash == hash);
    options.cache = CacheUse::off;
    CHECK(generated(model, prompt, options).logits_hash == hash);
    kinds.insert(hash);
  }
  CHECK(kinds.size() == 2);  // stored blocks and f32 are the same numbers; bf16 rounds them
}

TEST_SUITE_END();
