// The reference against Hugging Face transformers, on the checkpoints of tests/goldens and on the four trained models.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>

#include "cpu_reference/transformer.h"
#include "model/files/load_model.h"
#include "model/files/safetensors.h"
#include "tests/support/claim.h"
#include "tests/support/compare.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;
namespace fs = std::filesystem;

namespace {

const fs::path kGoldens = fs::path(KVLAB_SOURCE_DIR) / "tests/goldens";
const std::vector<std::string> kTrained = {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"};

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGoldens))
    if (fs::exists(entry.path() / "config.json")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  names.insert(names.end(), kTrained.begin(), kTrained.end());
  return names;
}

fs::path checkpoint_of(const std::string& name) {
  const bool trained = std::find(kTrained.begin(), kTrained.end(), name) != kTrained.end();
  return trained ? fs::path(KVLAB_SOURCE_DIR) / "checkpoints" / name : kGoldens / name;
}

// What transformers computed.
class Expected {
 public:
  explicit Expected(const std::string& name) : file_(read_safetensors(kGoldens / name / "expected.safetensors")) {}

  bool has(const std::string& name) const { return file_.tensors.count(name) > 0; }
  std::vector<int32_t> ids(const std::string& name) const {
    const StoredTensor& tensor = file_.tensors.at(name);
    std::vector<int32_t> values(tensor.bytes.size() / 4);
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  // [a, b] or [a, b, c], as a * b rows of c.
  Matrix<float> matrix(const std::string& name) const {
    const StoredTensor& tensor = file_.tensors.at(name);
    REQUIRE(tensor.dtype == "F32");
    const int64_t cols = tensor.shape.back();
    Matrix<float> values(static_cast<int64_t>(tensor.bytes.size()) / 4 / cols, cols);
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  const Shape& shape(const std::string& name) const { return file_.tensors.at(name).shape; }

 private:
  Safetensors file_;
};

template <class Work>
void for_each_golden(const Work& work) {
  for (const std::string& name : golden_names()) {
    CAPTURE(name);
    const LoadedModel loaded = load_model(checkpoint_of(name));
    work(Model{loaded.config, loaded.weights}, Expected(name));
  }
}

int32_t argmax(const Matrix<float>& logits) {
  int64_t best = 0;
  logits.row(logits.rows() - 1).maxCoeff(&best);
  return static_cast<int32_t>(best);
}

// Our rope key in the order in which transformers keeps it. DeepSeek-V3's class takes interleaved pairs apart, all
// firsts and then all seconds, before it rotates; ours stay where they are. The products of queries and keys are the
// same.
Matrix<float> in_their_order(const Matrix<float>& rows, int64_t begin, const ModelConfig& config) {
  if (config.family != Family::deepseek_v3 || config.rope.pairing != RopeConfig::Pairing::interleaved) return rows;
  Matrix<float> ordered = rows;
  const int64_t pairs = config.rope.dim / 2;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    ordered.col(begin + pair) = rows.col(begin + 2 * pair);
    ordered.col(begin + pairs + pair) = rows.col(begin + 2 * pair + 1);
  }
  return ordered;
}

void check_heads(const StoredRows& ours, const Expected& expected, const std::string& name, int64_t first_position) {
  const Matrix<float> theirs = expected.matrix(name);
  const int64_t positions = expected.shape(name)[1];
  REQUIRE(expected.shape(name)[0] == ours.kv_heads);
  for (int64_t head = 0; head < ours.kv_heads; ++head) {
    const Matrix<float> rows = read_rows<float>(ours, head, first_position, first_position + positions);
    const Matrix<float> want = theirs.middleRows(head * positions, positions);
    CHECK_MESSAGE(worst_error(rows, want) <= 1e-4 * scale_of(theirs), name, " head ", head);
  }
}

// Each head's keys and values as transformers' cache holds them (expanded from the latent where there is one).
void check_cache(const KvCache& cache, const Expected& expected, const Model& model, const Run& run) {
  for (int64_t layer = 0; layer < model.config.layers; ++layer) {
    const std::string at = fmt::format(".{}", layer);
    const int64_t first = expected.ids("first_position" + at)[0];
    if (!model.config.has_latent_attention()) {
      check_heads(cache.keys(layer), expected, "keys" + at, first);
      check_heads(cache.values(layer), expected, "values" + at, first);
      continue;
    }
    REQUIRE(first == 0);
    const int64_t dim = model.config.latent.latent_dim, rope = model.config.latent.rope_dim;
    const Matrix<float> stored =
        in_their_order(read_rows<float>(cache.latents(layer), 0, 0, cache.length()), dim, model.config);
    const WeightMatrix& latent_up = model.weights.layers[static_cast<size_t>(layer)].latent_up;
    const Matrix<float> keys = materialise_keys<float>(stored, latent_up, model.config, run);
    const Matrix<float> values = materialise_values<float>(stored, latent_up, model.config, run);
    check_heads(StoredBlock(Rows<float>(keys), model.config.heads, Dtype::f32).view(), expected, "keys" + at, 0);
    check_heads(StoredBlock(Rows<float>(values), model.config.heads, Dtype::f32).view(), expected, "values" + at, 0);
    if (expected.has("latent" + at)) {
      CHECK(worst_error<Matrix<float>, Matrix<float>>(stored.leftCols(dim), expected.matrix("latent" + at)) <=
            1e-4 * scale_of(stored));
      CHECK(worst_error<Matrix<float>, Matrix<float>>(stored.rightCols(rope), expected.matrix("rope_key" + at)) <=
            1e-4 * scale_of(stored));
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("goldens");

TEST_CASE("at least ten golden checkpoints and the four trained ones are there") {
  CHECK(golden_names().size() >= 14);
  for (const std::string& name : golden_names()) CHECK_MESSAGE(fs::exists(checkpoint_of(name) / "config.json"), name);
}

TEST_CASE("logits equal transformers' within 1e-4 of their scale, at every position, with a cache and without") {
  Team team(2, 1);
  const Run run{team};
  for_each_golden([&](const Model& model, const Expected& expected) {
    const std::vector<int32_t> prompt = expected.ids("prompt");
    const Matrix<float> theirs = expected.matrix("logits");
    for (const LatentForm form : {LatentForm::absorbed, LatentForm::materialised}) {
      const Matrix<float> uncached = forward_without_cache<float>(model, prompt, Dtype::f32, form, LogitRows::all, run);
      CHECK(worst_error(uncached, theirs) <= 1e-4 * scale_of(theirs));
      const Matrix<double> oracle = forward_without_cache<double>(model, prompt, Dtype::f64, form, LogitRows::all, run);
      CHECK(worst_error(oracle, theirs) <= 1e-4 * scale_of(theirs));
      KvCache cache(model.config, 14, Dtype::f32);
      prefill<float>(model, std::span(prompt).first(10), cache, form, LogitRows::last, run);
      const Matrix<float> rest = prefill<float>(model, std::span(prompt).subspan(10), cache, form, LogitRows::all, run);
      CHECK(worst_error<Matrix<float>, Matrix<float>>(rest, theirs.bottomRows(4)) <= 1e-4 * scale_of(theirs));
    }
  });
}

TEST_CASE("greedy continuations of 20 tokens are transformers' own, with a cache and without") {
  Team team(2, 1);
  const Run run{team};
  for_each_golden([&](const Model& model, const Expected& expected) {
    std::vector<int32_t> all = expected.ids("prompt"), cached, uncached;
    KvCache cache(model.config, 14 + 19, Dtype::f32);
    Matrix<float> next = prefill<float>(model, all, cache, LatentForm::absorbed, LogitRows::last, run);
    for (int step = 0; step < 20; ++step) {
      uncached.push_back(
          argmax(forward_without_cache<float>(model, all, Dtype::f32, LatentForm::absorbed, LogitRows::last, run)));
      cached.push_back(argmax(next));
      all.push_back(cached.back());
      if (step < 19) next = decode_step<float>(model, cached.back(), cache, LatentForm::absorbed, run);
    }
    CHECK(cached == expected.ids("greedy"));
    CHECK(uncached == cached);
  });
}

TEST_CASE("stored keys and values are those of transformers' own cache") {
  Team team(1);
  const Run run{team};
  for_each_golden([&](const Model& model, const Expected& expected) {
    KvCache cache(model.config, 14, Dtype::f32);
    prefill<float>(model, expected.ids("prompt"), cache, LatentForm::absorbed, LogitRows::last, run);
    check_cache(cache, expected, model, run);
  });
}

TEST_CASE("on every golden and trained model the cache changes nothing, bit for bit") {
  for_each_golden(
      [](const Model& model, const Expected& expected) { check_cache_changes_nothing(model, expected.ids("prompt")); });
}

TEST_SUITE_END();
