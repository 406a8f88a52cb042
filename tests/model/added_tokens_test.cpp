#include "model/added_tokens.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "model/random.h"
#include "tests/support/error_of.h"

using namespace kv;
using namespace kv::test;

TEST_SUITE("model") {
  TEST_CASE("the longest added token is found, whatever stands behind it") {
    const AddedTokens tokens({{7, "<a>", true}, {8, "<a><a>", true}, {9, "<", false}, {10, "foo", false}});
    const auto id_at = [&](std::string_view text) { return tokens.longest_at(text, true).id; };
    CHECK(id_at("<a><a><a>") == 8);
    CHECK(id_at("<a><a") == 7);
    CHECK(id_at("<a") == 9);
    CHECK(id_at("foo") == 10);
    CHECK(id_at("fo") == -1);
    CHECK(id_at("") == -1);
    CHECK(tokens.longest_at("<a>x", true).bytes == 3);
    CHECK(tokens.longest_at("x", true).bytes == 0);
  }

  TEST_CASE("special ones are passed over where they are not wanted, for a shorter one that is not special") {
    const AddedTokens tokens({{7, "<a>", true}, {9, "<", false}});
    CHECK(tokens.longest_at("<a>", false).id == 9);
    CHECK(tokens.longest_at("<a>", true).id == 7);
  }

  TEST_CASE("of two added tokens with one text the first counts") {
    const AddedTokens tokens({{7, "x", false}, {3, "x", false}});
    CHECK(tokens.longest_at("x", true).id == 7);
  }

  TEST_CASE("an added token has a text, and not a long one") {
    const auto refusal = [](const std::string& text) {
      return error_of<std::invalid_argument>([&] { AddedTokens({{5, text, true}}); });
    };
    CHECK(names(refusal(""), "added token 5", "0 bytes"));
    CHECK(names(refusal(std::string(257, 'a')), "added token 5", "257 bytes", "256"));
    CHECK(refusal(std::string(256, 'a')) == "(no error)");
  }

  TEST_CASE("searching by narrowing finds what looking at every token finds") {
    Random random(5);
    const auto random_text = [&](int64_t most) {
      std::string text;
      for (int64_t left = 1 + random.below(most); left > 0; --left)
        text += static_cast<char>("ab\xFF"[random.below(3)]);
      return text;
    };
    for (int round = 0; round < 200; ++round) {
      std::vector<AddedTokens::Token> list;
      for (int32_t id = 0; id < 12; ++id) list.push_back({id, random_text(5), random.below(2) == 0});
      const AddedTokens tokens(list);
      for (int texts = 0; texts < 20; ++texts) {
        const std::string text = random_text(8);
        AddedTokens::Found expected = {-1, 0};
        for (const AddedTokens::Token& token : list)
          if (!token.special && text.starts_with(token.text) && token.text.size() > expected.bytes)
            expected = {token.id, token.text.size()};
        const AddedTokens::Found found = tokens.longest_at(text, false);
        REQUIRE(found.id == expected.id);
        REQUIRE(found.bytes == expected.bytes);
      }
    }
  }
}
