#include "model/claims.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace kv;

namespace {

Claim claim_of(const std::string& source_part, const std::string& statement_part) {
  for (const Claim& claim : claims())
    if (claim.source.find(source_part) != std::string_view::npos &&
        claim.statement.find(statement_part) != std::string::npos)
      return claim;
  FAIL("there is no such claim: ", source_part, ", ", statement_part);
  return {};
}

Claim printed(const std::string& figure, bool about = false) {
  Claim claim;
  claim.printed = figure;
  claim.about = about;
  return claim;
}

}  // namespace

TEST_SUITE_BEGIN("claims");

TEST_CASE("every verdict follows from the numbers, and the words fit it") {
  const std::vector<Claim> all = claims();
  CHECK(all.size() >= 25);
  for (const Claim& claim : all) {
    INFO(std::string(claim.source), ": ", claim.statement, ", printed ", claim.printed, ", ours ", claim.ours);
    CHECK(claim.ours > 0);
    switch (verdict_on(claim)) {
      case Verdict::agrees:
        CHECK(is_as_printed(claim, claim.ours));
        CHECK(claim.convention.empty());
        CHECK(claim.reason.empty());
        break;
      case Verdict::agrees_if:
        CHECK_FALSE(is_as_printed(claim, claim.ours));
        CHECK(is_as_printed(claim, claim.by_convention));
        CHECK(claim.reason.empty());
        break;
      case Verdict::wrong:
        CHECK_FALSE(is_as_printed(claim, claim.ours));
        CHECK(claim.convention.empty());
        CHECK_FALSE(claim.reason.empty());
        break;
    }
  }
}

TEST_CASE("every claim is told once, with its source") {
  std::set<std::string> seen;
  for (const Claim& claim : claims()) {
    CHECK_FALSE(claim.source.empty());
    CHECK_FALSE(claim.unit.empty());
    CHECK(seen.insert(std::string(claim.source) + "|" + claim.statement).second);
  }
}

TEST_CASE("a figure is as printed when it rounds to it, either way from the middle; about means within 1 %") {
  CHECK(is_as_printed(printed("15.62"), 15.625));
  CHECK(is_as_printed(printed("15.62"), 15.615));
  CHECK_FALSE(is_as_printed(printed("15.62"), 15.6251));
  CHECK_FALSE(is_as_printed(printed("800"), 819.2));
  CHECK(is_as_printed(printed("2"), 2.147));
  CHECK_FALSE(is_as_printed(printed("327"), 327.68));
  CHECK(is_as_printed(printed("327", true), 327.68));
  CHECK_FALSE(is_as_printed(printed("327", true), 330.3));
  CHECK_FALSE(is_as_printed(printed("327"), std::stod("nan")));
}

TEST_CASE("of the article's four rows one is right and three are wrong, by what it says itself") {
  CHECK(verdict_on(claim_of("the article", "Llama-3-8B")) == Verdict::wrong);
  CHECK(claim_of("the article", "Llama-3-8B").ours == doctest::Approx(131.072));
  CHECK(verdict_on(claim_of("the article", "Llama-3-70B")) == Verdict::agrees);
  CHECK(verdict_on(claim_of("the article", "Llama-2-70B")) == Verdict::wrong);
  CHECK(claim_of("the article", "Llama-2-70B").ours == doctest::Approx(0.32768));
  CHECK(verdict_on(claim_of("the article", "Mistral 7B")) == Verdict::wrong);
}

TEST_CASE("figures that agree, that need a convention, and that cannot be had") {
  CHECK(claim_of("ISCA", "DeepSeek-V3, a token").ours == doctest::Approx(70.272));
  CHECK(verdict_on(claim_of("ISCA", "Qwen2.5-72B, a token")) == Verdict::agrees);
  CHECK(verdict_on(claim_of("ISCA", "Llama-3.1-405B over")) == Verdict::wrong);
  CHECK(claim_of("ISCA", "Llama-3.1-405B over").ours == doctest::Approx(7.344).epsilon(1e-4));
  CHECK(verdict_on(claim_of("vLLM paper", "OPT-13B, a token")) == Verdict::agrees_if);
  CHECK(claim_of("DeepSeek-V2 (arXiv", "smaller than").ours == doctest::Approx(82.2).epsilon(1e-3));
  CHECK(verdict_on(claim_of("Llama 3.1", "405B at 128k")) == Verdict::wrong);
  CHECK(verdict_on(claim_of("Llama 3.1", "8B at 1k")) == Verdict::agrees_if);
  CHECK(claim_of("kipply", "52B").ours == 2097152);
  CHECK(claim_of("imp", "over the latent").by_convention == doctest::Approx(6144.0 / 576));
}

TEST_SUITE_END();
