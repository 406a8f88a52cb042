#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/error_of.h"
#include "tests/support/process.h"

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
