#include "viewer/session/lane_facts.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/viewer_runs.h"

using namespace kv;
using namespace kv::test;
using namespace kv::viewer;

namespace {

std::vector<std::string> labels(const std::vector<std::string>& models) {
  std::vector<std::string> labels;
  for (const auto& lane : load_lanes(settings_of(models))) labels.push_back(lane->label);
  return labels;
}

}  // namespace

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE(
    "lanes are labelled by how heads share; by name beside another model that shares alike; by number when again") {
  using Labels = std::vector<std::string>;
  CHECK(labels(kFourModels) == Labels{"MHA", "GQA", "MQA", "MLA"});
  CHECK(labels({"austen-gqa", "austen-mla", "austen-gqa", "austen-gqa"}) == Labels{"GQA", "MLA", "GQA 2", "GQA 3"});
  SessionSettings settings = settings_of({"austen-gqa", "austen-mla", "austen-gqa", "austen-gqa"});
  settings.models[2].name = "another";
  Labels named;
  for (const auto& lane : load_lanes(settings)) named.push_back(lane->label);
  CHECK(named == Labels{"austen-gqa", "MLA", "another", "austen-gqa 2"});
}

TEST_CASE("bits a byte beside each checkpoint are those of the table in checkpoints/README.md") {
  const std::string readme = read_whole_file(std::string(KVLAB_SOURCE_DIR) + "/checkpoints/README.md");
  const size_t table = readme.find("held-out bits a byte");
  REQUIRE(table != std::string::npos);
  for (const auto& lane : load_lanes(settings_of(kFourModels))) {
    REQUIRE(lane->held_out_bits_per_byte);
    const size_t row = readme.find(fmt::format("| `{}` |", lane->name), table);
    REQUIRE(row != std::string::npos);
    const std::string line = readme.substr(row, readme.find('\n', row) - row);
    CHECK(names(line, fmt::format("| {:.4f} |", *lane->held_out_bits_per_byte)));
  }
  CHECK_FALSE(window_model(0).view().lanes[0].facts->held_out_bits_per_byte);
}

TEST_CASE("end tokens and ids without text are excluded; the capacity ends at the model's context") {
  const auto lanes = load_lanes(settings_of({"austen-mla"}));
  CHECK(lanes[0]->capacity == 1024);
  CHECK(load_lanes(settings_of({"austen-mla"}, "a", 100))[0]->capacity == 100);
  REQUIRE_FALSE(lanes[0]->config().end_tokens.empty());
  for (const int64_t end : lanes[0]->config().end_tokens)
    CHECK(std::count(lanes[0]->excluded.begin(), lanes[0]->excluded.end(), end) == 1);
  CHECK(lanes[0]->path.is_absolute());
}

TEST_CASE("without a tokenizer a prompt is a list of ids, and a wrong one is told") {
  CHECK(window_model(0, "5, 17,3").view().lanes[0].facts->prompt == std::vector<int32_t>{5, 17, 3});
  const auto message = [](const std::string& prompt) {
    return error_of<std::runtime_error>([&] { window_model(0, prompt); });
  };
  CHECK(names(message("5,seven"), "mistral-window", "seven"));
  CHECK(names(message(""), "mistral-window", "empty"));
  CHECK(names(message("5,113"), "mistral-window", "113"));
  CHECK(names(message("-1"), "mistral-window", "-1"));
}

TEST_CASE("a model that cannot be loaded is named") {
  SessionSettings settings = settings_of({"austen-gqa"});
  settings.models.push_back({"my model", "/nowhere/at/all"});
  CHECK(names(error_of<FormatError>([&] { load_lanes(settings); }), "my model", "/nowhere/at/all"));
}

TEST_SUITE_END();
