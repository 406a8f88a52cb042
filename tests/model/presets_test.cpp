#include "model/presets.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "model/files/hf_config.h"
#include "model/parameters.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;
using kv::test::read_whole_file;
using kv::test::TemporaryFolder;

namespace {

// What was worked out for each model, apart from this program, from its published shape. Bytes are of bf16.
struct Figures {
  int64_t bytes_per_token = 0;
  int64_t past_windows = 0;       // what one more token adds once the windows are full
  int64_t saturated_windows = 0;  // what full windows hold
  int64_t expanded = 0;           // bytes of a token, were a latent's keys and values kept instead; 0: no latent
  int64_t at_max_context = 0;
  int64_t parameters = 0;  // 0: not counted
  int64_t weights_bytes = 0;
  int64_t max_context = 0;
};

int64_t number(const std::string& text) {
  const bool counted = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return counted ? std::stoll(text) : 0;
}

std::map<std::string, Figures> table() {
  std::map<std::string, Figures> models;
  std::istringstream lines(read_whole_file(std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/data/models.csv"));
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::vector<std::string> row(9);
    for (std::string& cell : row) std::getline(cells, cell, ',');
    models[row[0]] = {number(row[1]), number(row[2]), number(row[3]), number(row[4]),
                      number(row[5]), number(row[6]), number(row[7]), number(row[8])};
  }
  return models;
}

constexpr Dtype kBf16 = Dtype::bf16;

int64_t past_windows(const ModelConfig& config) {
  return config.cache_bytes(config.max_context, kBf16) - config.cache_bytes(config.max_context - 1, kBf16);
}

int64_t saturated_windows(const ModelConfig& config) {
  int64_t values = 0;
  for (const LayerCache& cache : config.layer_cache) values += cache.window * cache.values_per_token();
  return values * bytes_of(kBf16);
}

int64_t expanded_bytes(const ModelConfig& config) {
  if (!config.has_latent_attention()) return 0;
  return config.layers * config.heads * (config.key_head_dim + config.value_head_dim) * bytes_of(kBf16);
}

void check(const ModelConfig& config, const Figures& figures) {
  CAPTURE(config.name);
  CHECK(config.max_context == figures.max_context);
  CHECK(config.cache_bytes(1, kBf16) == figures.bytes_per_token);
  CHECK(past_windows(config) == figures.past_windows);
  CHECK(saturated_windows(config) == figures.saturated_windows);
  CHECK(expanded_bytes(config) == figures.expanded);
  CHECK(config.cache_bytes(config.max_context, kBf16) == figures.at_max_context);
  if (figures.parameters == 0) {
    CHECK(names(error_of<std::invalid_argument>([&] { count_parameters(config); }), "kvlab does not count"));
    return;
  }
  CHECK(parameter_count(config) == figures.parameters);
  CHECK(parameter_count(config) * bytes_of(kBf16) == figures.weights_bytes);
}

std::string found(std::string_view text) {
  const Preset* preset = find_preset(text);
  return preset == nullptr ? "(none)" : std::string(preset->name);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("every preset gives the sizes that were worked out for its model, to the byte") {
    const std::map<std::string, Figures> models = table();
    REQUIRE(models.size() == 48);
    REQUIRE(presets().size() == 48);
    int without_parameters = 0;
    for (const Preset& preset : presets()) {
      const auto model = models.find(std::string(preset.id));
      REQUIRE(model != models.end());
      if (model->second.parameters == 0) ++without_parameters;
      check(config_of(preset), model->second);
    }
    CHECK(without_parameters == 1);
  }

  TEST_CASE("a preset's text as a config.json gives the same model, under its folder's name") {
    const std::map<std::string, Figures> models = table();
    const TemporaryFolder folder;
    for (const Preset& preset : presets()) {
      const std::filesystem::path directory = folder / std::string(preset.name);
      std::filesystem::create_directory(directory);
      const ModelConfig config =
          read_hf_config(folder.write(std::string(preset.name) + "/config.json", preset.config_json));
      CHECK(config.name == preset.name);
      check(config, models.at(std::string(preset.id)));
      CHECK(config.assumed == config_of(preset).assumed);
    }
  }

  TEST_CASE("presets have different ids and names, and each says how sure it is and where it comes from") {
    std::set<std::string_view> ids, short_names;
    for (const Preset& preset : presets()) {
      CAPTURE(std::string(preset.id));
      ids.insert(preset.id);
      short_names.insert(preset.name);
      CHECK(std::count(preset.id.begin(), preset.id.end(), '/') == 1);
      CHECK(std::none_of(preset.name.begin(), preset.name.end(),
                         [](char c) { return c == '/' || (c >= 'A' && c <= 'Z'); }));
      CHECK((preset.verification.starts_with("A: ") || preset.verification.starts_with("B: ")));
      CHECK(!preset.source.empty());
    }
    CHECK(ids.size() == 48);
    CHECK(short_names.size() == 48);
  }

  TEST_CASE("a preset is found by its id, the id's last part or its short name, in any case of letters") {
    for (const Preset& preset : presets()) {
      CHECK(find_preset(preset.id) == &preset);
      CHECK(find_preset(preset.name) == &preset);
      CHECK(find_preset(preset.id.substr(preset.id.find('/') + 1)) == &preset);
    }
    CHECK(found("META-llama/llama-3.1-8b") == "llama-3.1-8b");
    CHECK(found("Qwen3-8B") == "qwen3-8b");
    CHECK(found("Meta-Llama-3-8B") == "llama-3-8b");
  }

  TEST_CASE("the beginning of a name is enough when no other model begins so") {
    CHECK(found("mixtral") == "mixtral-8x7b");
    CHECK(found("qwen3-30") == "qwen3-30b-a3b");
    CHECK(found("deepseek-ai/deepseek-v3") == "deepseek-v3");
    CHECK(found("DeepSeek-V2") == "deepseek-v2");  // a whole name, though another begins with it
    CHECK(found("llama-3.1") == "(none)");
    CHECK(similar_presets("llama-3.1") == Names{"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"});
    CHECK(similar_presets("google/gemma-3") == Names{"gemma-3-4b", "gemma-3-27b"});
    CHECK(found("") == "(none)");
    CHECK(similar_presets("").empty());
  }

  TEST_CASE("a mistyped name suggests the nearest ones; a strange one suggests none") {
    CHECK(found("lama-3.1-8b") == "(none)");
    CHECK(similar_presets("lama-3.1-8b") == Names{"llama-3.1-8b"});
    CHECK(similar_presets("meta-llama/Llama-3.1-9B") == Names{"llama-3.1-8b"});
    CHECK(similar_presets("gemma3-4b") == Names{"gemma-3-4b"});
    CHECK(found("a model of my own") == "(none)");
    CHECK(similar_presets("a model of my own").empty());
  }

  TEST_CASE("presets that run say nothing, and the others say why they do not") {
    const auto reason = [](std::string_view name) { return config_of(*find_preset(name)).cannot_run; };
    CHECK(reason("llama-3.1-8b").empty());
    CHECK(reason("mistral-7b-v0.1").empty());
    CHECK(reason("qwen3-0.6b").empty());
    CHECK(names(reason("gemma-2-9b"), "model_type is the string \"gemma2\"; kvlab runs llama"));
    CHECK(names(reason("gemma-3-4b"), "text_config.model_type is the string \"gemma3_text\""));
    CHECK(names(reason("deepseek-v2-lite"), "has mixtures of experts in layers 1 to 26"));
    CHECK(names(reason("deepseek-v3"), "quantization_config"));
  }

  TEST_CASE("1 GiB is 2^30 bytes and 1 GB 10^9: Llama-3.1-8B and Qwen3-0.6B at full context") {
    const auto at = [](std::string_view name, int64_t length) {
      return config_of(*find_preset(name)).cache_bytes(length, kBf16);
    };
    CHECK(at("llama-3.1-8b", 131072) == int64_t{16} << 30);
    CHECK(at("llama-3.1-8b", 131072) == 17179869184);
    CHECK(at("qwen3-0.6b", 40960) == 4697620480);
    CHECK(at("deepseek-v3", 1) == 70272);
    CHECK(expanded_bytes(config_of(*find_preset("deepseek-v3"))) == 4997120);
  }
}
