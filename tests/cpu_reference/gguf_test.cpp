// The same model from safetensors and from GGUF, and models whose weights are blocks (tests/goldens/README.md tells how
// the files are made).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cpu_reference/transformer.h"
#include "model/blocks.h"
#include "model/error.h"
#include "model/files/load_model.h"
#include "model/files/safetensors.h"
#include "tests/support/claim.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;
namespace fs = std::filesystem;

namespace {

const fs::path kGoldens = fs::path(KVLAB_SOURCE_DIR) / "tests/goldens";

// A GGUF file beside the checkpoint whose numbers it holds.
struct Mirror {
  const char* name;
  const char* file;
  bool same_frequencies = true;  // llama3's scaling is a formula in one file, and f32 divisors in the other
};
constexpr Mirror kMirrors[] = {
    {"llama-gqa3", "model.gguf"},
    {"llama-bias", "model.gguf"},
    {"llama-llama3rope", "model.gguf", false},
    {"llama-yarn", "model.gguf"},
    {"llama-linear", "model.gguf"},
    {"qwen2", "model.gguf"},
    {"qwen3", "model.gguf"},
    {"deepseek-v2", "model.gguf"},
    {"deepseek-v2", "legacy.gguf"},
    {"deepseek-v2-yarn", "model.gguf"},
    {"deepseek-v2-qlora", "model.gguf"},
};
// Files of their own, with transformers' logits beside them.
const std::vector<std::string> kAlone = {"llama-blocks", "llama-uneven"};

fs::path gguf_of(const std::string& name) { return kGoldens / name / "model.gguf"; }

// What transformers computed.
struct Expected {
  std::vector<int32_t> prompt, greedy;
  Matrix<float> logits;

  explicit Expected(const std::string& name) {
    const Safetensors file = read_safetensors(kGoldens / name / "expected.safetensors");
    prompt = ids(file.tensors.at("prompt"));
    greedy = ids(file.tensors.at("greedy"));
    const StoredTensor& stored = file.tensors.at("logits");
    logits.resize(stored.shape[0], stored.shape[1]);
    std::memcpy(logits.data(), stored.bytes.data(), stored.bytes.size());
  }
  static std::vector<int32_t> ids(const StoredTensor& stored) {
    std::vector<int32_t> values(stored.bytes.size() / 4);
    std::memcpy(values.data(), stored.bytes.data(), stored.bytes.size());
    return values;
  }
};

template <class Work>
void for_each_mirror(const Work& work) {
  for (const Mirror& mirror : kMirrors) {
    CAPTURE(mirror.name);
    CAPTURE(mirror.file);
    const LoadedModel safetensors = load_model(kGoldens / mirror.name);
    const LoadedModel gguf = load_model(kGoldens / mirror.name / mirror.file);
    work(mirror, safetensors, gguf);
  }
}

Model view(const LoadedModel& loaded) { return {loaded.config, loaded.weights}; }

template <class Scalar>
Matrix<Scalar> all_logits(const LoadedModel& loaded, const std::vector<int32_t>& tokens, LatentForm form) {
  Team team(2, 1);
  const Dtype dtype = sizeof(Scalar) == 8 ? Dtype::f64 : Dtype::f32;
  return forward_without_cache<Scalar>(view(loaded), tokens, dtype, form, LogitRows::all, Run{team});
}

// In pieces of 10 and 4, through a cache.
Matrix<float> cached_logits(const LoadedModel& loaded, const std::vector<int32_t>& tokens, LatentForm form) {
  Team team(2, 1);
  const Run run{team};
  KvCache cache(loaded.config, std::ssize(tokens), Dtype::f32);
  Matrix<float> logits(std::ssize(tokens), loaded.config.vocab);
  const auto prompt = std::span(tokens);
  logits.topRows(10) = prefill<float>(view(loaded), prompt.first(10), cache, form, LogitRows::all, run);
  logits.bottomRows(4) = prefill<float>(view(loaded), prompt.subspan(10), cache, form, LogitRows::all, run);
  return logits;
}

std::vector<LatentForm> forms_of(const ModelConfig& config) {
  if (!config.has_latent_attention()) return {LatentForm::absorbed};
  return {LatentForm::absorbed, LatentForm::materialised};
}

Matrix<float> widened(const WeightMatrix& weight) {
  Matrix<float> values(weight.rows, weight.cols);
  for (int64_t row = 0; row < weight.rows; ++row)
    widen_row(weight.dtype, weight.row(row), weight.cols, values.data() + row * weight.cols);
  return values;
}

bool noted(const LoadedModel& model, std::string_view words) {
  for (const std::string& note : model.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("gguf");

TEST_CASE("a GGUF file gives the config that the checkpoint's own config.json gives") {
  for_each_mirror([](const Mirror& mirror, const LoadedModel& safetensors, const LoadedModel& gguf) {
    const ModelConfig &theirs = safetensors.config, &ours = gguf.config;
    CHECK(ours.family == theirs.family);
    CHECK(ours.layers == theirs.layers);
    CHECK(ours.model_dim == theirs.model_dim);
    CHECK(ours.hidden_dim == theirs.hidden_dim);
    CHECK(ours.vocab == theirs.vocab);
    CHECK(ours.max_context == theirs.max_context);
    CHECK(ours.heads == theirs.heads);
    CHECK(ours.kv_heads == theirs.kv_heads);
    CHECK(ours.key_head_dim == theirs.key_head_dim);
    CHECK(ours.value_head_dim == theirs.value_head_dim);
    CHECK(ours.layer_sizes.empty());
    CHECK(ours.latent.latent_dim == theirs.latent.latent_dim);
    CHECK(ours.latent.query_latent_dim == theirs.latent.query_latent_dim);
    CHECK(ours.latent.nope_dim == theirs.latent.nope_dim);
    CHECK(ours.latent.rope_dim == theirs.latent.rope_dim);
    CHECK(ours.latent.norm_eps == theirs.latent.norm_eps);
    CHECK(ours.norm_eps == theirs.norm_eps);
    CHECK(ours.rope.dim == theirs.rope.dim);
    CHECK(ours.rope.theta == theirs.rope.theta);
    CHECK(ours.rope.pairing == theirs.rope.pairing);
    CHECK((ours.rope.scaling == theirs.rope.scaling) == mirror.same_frequencies);
    CHECK(ours.rope.divisors.empty() == mirror.same_frequencies);
    CHECK(ours.attention_scale() == theirs.attention_scale());
    CHECK(ours.cache_bytes(14, Dtype::bf16) == theirs.cache_bytes(14, Dtype::bf16));
    CHECK(ours.query_key_norm == theirs.query_key_norm);
    CHECK(ours.qkv_bias == theirs.qkv_bias);
    CHECK(ours.output_bias == theirs.output_bias);
    CHECK(ours.feed_forward_bias == theirs.feed_forward_bias);
    CHECK(ours.tied_embeddings == theirs.tied_embeddings);
    CHECK(ours.weights_dtype == theirs.weights_dtype);
  });
}

TEST_CASE("a GGUF file gives every weight of the checkpoint, bit for bit and in the checkpoint's order") {
  for_each_mirror([](const Mirror&, const LoadedModel& safetensors, const LoadedModel& gguf) {
    Weights theirs = safetensors.weights, ours = gguf.weights;
    const std::vector<ExpectedTensor> wanted = expected_tensors(safetensors.config, theirs);
    const std::vector<ExpectedTensor> found = expected_tensors(gguf.config, ours);
    REQUIRE(found.size() == wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
      CHECK_MESSAGE(same_bits(widened(*found[i].place), widened(*wanted[i].place)), wanted[i].name, " from ",
                    found[i].place->name);
  });
}

TEST_CASE("logits at every position are the same bits from safetensors and from GGUF, with a cache and without") {
  for_each_mirror([](const Mirror& mirror, const LoadedModel& safetensors, const LoadedModel& gguf) {
    const Expected expected(mirror.name);
    const double scale = scale_of(expected.logits);
    for (const LatentForm form : forms_of(gguf.config)) {
      const Matrix<float> theirs = all_logits<float>(safetensors, expected.prompt, form);
      const Matrix<float> ours = all_logits<float>(gguf, expected.prompt, form);
      if (mirror.same_frequencies) {
        CHECK(same_bits(ours, theirs));
        CHECK(same_bits(all_logits<double>(gguf, expected.prompt, form),
                        all_logits<double>(safetensors, expected.prompt, form)));
      } else {
        CHECK(worst_error(ours, theirs) <= 1e-5 * scale);
      }
      CHECK(same_bits(cached_logits(gguf, expected.prompt, form), ours));
      CHECK(worst_error(ours, expected.logits) <= 1e-4 * scale);
    }
  });
}

TEST_CASE("blocks of every type, and layers of different sizes, give transformers' logits within 1e-4 of their scale") {
  for (const std::string& name : kAlone) {
    CAPTURE(name);
    const Expected expected(name);
    const LoadedModel loaded = load_model(gguf_of(name));
    const double scale = scale_of(expected.logits);
    CHECK(worst_error(all_logits<float>(loaded, expected.prompt, LatentForm::absorbed), expected.logits) <=
          1e-4 * scale);
    CHECK(worst_error(all_logits<double>(loaded, expected.prompt, LatentForm::absorbed), expected.logits) <=
          1e-4 * scale);
    CHECK(worst_error(cached_logits(loaded, expected.prompt, LatentForm::absorbed), expected.logits) <= 1e-4 * scale);
  }
}

TEST_CASE("greedy continuations of 20 tokens from blocks and from uneven layers are transformers' own") {
  Team team(2, 1);
  const Run run{team};
  for (const std::string& name : kAlone) {
    CAPTURE(name);
    const Expected expected(name);
    const LoadedModel loaded = load_model(gguf_of(name));
    KvCache cache(loaded.config, 14 + 19, Dtype::f32);
    Matrix<float> next =
        prefill<float>(view(loaded), expected.prompt, cache, LatentForm::absorbed, LogitRows::last, run);
    std::vector<int32_t> chosen;
    while (chosen.size() < 20) {
      int64_t best = 0;
      next.row(0).maxCoeff(&best);
      chosen.push_back(static_cast<int32_t>(best));
      if (chosen.size() < 20) next = decode_step<float>(view(loaded), chosen.back(), cache, LatentForm::absorbed, run);
    }
    CHECK(chosen == expected.greedy);
  }
}

TEST_CASE("the cache changes nothing, bit for bit, with weights as blocks and with layers of different sizes") {
  for (const std::string& name : kAlone) {
    CAPTURE(name);
    const LoadedModel loaded = load_model(gguf_of(name));
    check_cache_changes_nothing(view(loaded), Expected(name).prompt);
  }
}

TEST_CASE("weights as the file stores them give the same bits as the same weights stored anew as f32") {
  std::vector<fs::path> paths;
  for (const Mirror& mirror : kMirrors) paths.push_back(kGoldens / mirror.name / mirror.file);
  for (const std::string& name : kAlone) paths.push_back(gguf_of(name));
  for (const fs::path& path : paths) {
    CAPTURE(path);
    const LoadedModel as_stored = load_model(path), as_f32 = load_model(path, {Dtype::f32});
    CHECK(as_f32.config.weights_dtype == Dtype::f32);
    CHECK(as_f32.weights.layers[0].gate.dtype == Dtype::f32);
    const std::vector<int32_t> prompt = Expected(path.parent_path().filename()).prompt;
    for (const LatentForm form : forms_of(as_stored.config)) {
      CHECK(same_bits(all_logits<float>(as_stored, prompt, form), all_logits<float>(as_f32, prompt, form)));
      CHECK(same_bits(all_logits<double>(as_stored, prompt, form), all_logits<double>(as_f32, prompt, form)));
    }
  }
}

TEST_CASE("the model of blocks holds all eight block types and the plain ones, as they are stored") {
  const LoadedModel loaded = load_model(gguf_of("llama-blocks"));
  Weights weights = loaded.weights;
  std::vector<bool> seen(kDtypes.size());
  for (const ExpectedTensor& tensor : expected_tensors(loaded.config, weights))
    seen[static_cast<size_t>(tensor.place->dtype)] = true;
  for (const DtypeFacts& facts : kDtypes)
    CHECK_MESSAGE(seen[static_cast<size_t>(facts.dtype)] == (facts.dtype != Dtype::f64), std::string(facts.name));
  CHECK(noted(loaded, "tokenizer.ggml"));  // it has none
}

TEST_CASE("a mixture of experts is refused by name, since its layers cannot be computed") {
  CHECK(names(error_of<FormatError>([] { load_model(gguf_of("llama-experts")); }),
              "llama-experts/model.gguf: ", "2 experts"));
}

TEST_SUITE_END();
