#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

using kv::test::Finished;
using kv::test::names;
using kv::test::run_kvlab;
using nlohmann::json;

TEST_SUITE("cli") {
  TEST_CASE("claims are told with source, what was printed, ours and a verdict; the counts are those of the list") {
    const Finished machine = run_kvlab({"claims", "--json"});
    REQUIRE(machine.status == 0);
    CHECK(machine.err.empty());
    const json list = json::parse(machine.out)["claims"];
    CHECK(list.size() >= 25);
    std::map<std::string, int> verdicts;
    for (const json& claim : list) {
      for (const char* key : {"source", "claim", "printed", "unit", "ours", "verdict"}) CHECK(claim.contains(key));
      ++verdicts[claim["verdict"].get<std::string>()];
      CHECK((claim["verdict"] == "agrees if") == claim["convention"].is_string());
      CHECK((claim["verdict"] == "wrong") == claim["reason"].is_string());
    }
    CHECK(verdicts.size() == 3);

    const Finished text = run_kvlab({"claims"});
    CHECK(text.status == 0);
    CHECK(names(text.out, std::to_string(list.size()) + " figures", std::to_string(verdicts["agrees"]) + " agree,",
                std::to_string(verdicts["wrong"]) + " are wrong", "arXiv 2309.06180"));
    for (const json& claim : list) CHECK(names(text.out, claim["claim"].get<std::string>()));
  }

  TEST_CASE("README.md: what it says of sizes, costs and claims is what the program says") {
    const std::string readme = kv::test::read_whole_file(KVLAB_SOURCE_DIR "/README.md");
    const auto document = [](std::vector<std::string> arguments) {
      arguments.emplace_back("--json");
      const Finished run = run_kvlab(arguments);
      REQUIRE_MESSAGE(run.status == 0, run.err);
      return json::parse(run.out);
    };
    CHECK(document({"size", "llama-3.1-8b"})["kv_bytes"] == 17179869184);
    CHECK(names(readme, "17,179,869,184 bytes of cache, 16.00 GiB or 17.18 GB, beside 14.96 GiB of weights"));
    CHECK(names(run_kvlab({"size", "llama-3.1-8b"}).out, "16.00 GiB", "14.96 GiB"));
    CHECK(names(run_kvlab({"size", "llama-3.1-8b", "--unit", "GB"}).out, "17.18 GB"));
    CHECK(names(readme, "one of " + std::to_string(document({"models"})["models"].size()) + " presets"));

    const std::string step = run_kvlab({"cost", "smollm2-135m", "--context", "2048"}).out;
    for (const char* figure : {"1,413 times as many", "1.30 FLOPs a byte", "11,677 tokens on"}) {
      CHECK(names(readme, figure));
      CHECK(names(step, figure));
    }
    CHECK(document({"cost", "deepseek-v3"})["cache_bytes_written"] == 70272);
    CHECK(document({"cost", "deepseek-v3", "--form", "expanded"})["cache_bytes_written"] == 4997120);
    CHECK(names(readme, "70,272 bytes a token as a latent; K and V of all heads would be 4,997,120"));
    CHECK(names(run_kvlab({"cost", "deepseek-v3", "--context", "8192"}).out, "up to about 167 queries"));
    CHECK(names(readme, "calls of up to about 167 queries"));

    std::map<std::string, int> verdicts;
    const json list = document({"claims"})["claims"];
    for (const json& claim : list) ++verdicts[claim["verdict"].get<std::string>()];
    CHECK(names(readme, fmt::format("Of {} published figures {} agree, {} agree if a unit or a length means something "
                                    "else, and {} are wrong",
                                    list.size(), verdicts["agrees"], verdicts["agrees if"], verdicts["wrong"])));
  }

  TEST_CASE("the help of size, cost, models and claims has examples") {
    for (const char* command : {"size", "cost", "models", "claims"}) {
      const Finished run = run_kvlab({command, "--help"});
      CHECK(run.status == 0);
      CHECK(names(run.out, "Examples:"));
      CHECK(run.err.empty());
    }
    const Finished size = run_kvlab({"size", "--help"}), cost = run_kvlab({"cost", "--help"});
    for (const char* option : {"--tokens", "--batch", "--dtype", "--weights-dtype", "--unit", "--tensor-parallel",
                               "--reserve", "--gpu", "--memory", "--json", "--csv"})
      CHECK_MESSAGE(names(size.out, option), option);
    for (const char* option : {"--phase", "--context", "--chunk", "--batch", "--cache", "--form", "--dtype",
                               "--weights-dtype", "--gpu", "--bandwidth", "--peak", "--json", "--csv"})
      CHECK_MESSAGE(names(cost.out, option), option);
  }
}
