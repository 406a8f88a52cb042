#include "model/composed_form.h"

#include <doctest/doctest.h>

using namespace kv;

TEST_SUITE("model") {
  TEST_CASE("letters and their marks become one character where there is one") {
    CHECK(composed_form("") == "");
    CHECK(composed_form("plain text\n") == "plain text\n");
    CHECK(composed_form("e\u0301") == "\u00E9");
    CHECK(composed_form("\u00E9") == "\u00E9");
    CHECK(composed_form("\u1100\u1161\u11A8") == "\uAC01");  // a Hangul syllable
    CHECK(composed_form("q\u0301") == "q\u0301");            // there is none
    CHECK(composed_form("\u2126") == "\u03A9");              // the Ohm sign is an Omega
    CHECK(composed_form("\u0958") == "\u0915\u093C");        // one of those that are never composed
    CHECK(composed_form("\U0001F600\u0301") == "\U0001F600\u0301");
  }

  TEST_CASE("marks come in the order of their classes, those of one class as they were") {
    CHECK(composed_form("a\u0302\u0323") == "\u1EAD");  // circumflex and dot below, either way round
    CHECK(composed_form("a\u0323\u0302") == "\u1EAD");
    CHECK(composed_form("q\u0301\u0323\u0300") == "q\u0323\u0301\u0300");
    CHECK(composed_form("\u0301\u0323x") == "\u0323\u0301x");  // on no letter at all
  }

  TEST_CASE("a letter with half a million marks is composed like any other") {
    std::string text = "q", expected = "q";
    for (int i = 0; i < 250'000; ++i) text += "\u0301\u0323";
    for (int i = 0; i < 250'000; ++i) expected += "\u0323";
    for (int i = 0; i < 250'000; ++i) expected += "\u0301";
    CHECK((composed_form(text) == expected));
  }
}
