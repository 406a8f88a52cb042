#include "model/utf8_stream.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/random.h"

using namespace kv;

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

// What each push gives, then what the end gives.
std::vector<std::string> streamed(const std::vector<std::string>& tokens) {
  Utf8Stream stream;
  std::vector<std::string> outputs;
  for (const std::string& token : tokens) outputs.push_back(stream.push(token));
  outputs.push_back(stream.flush());
  return outputs;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("a character that is split over tokens comes out whole, with its last byte") {
    CHECK(streamed({"\xF0\x9F\x98", "\x80"}) == Strings{"", "\xF0\x9F\x98\x80", ""});
    CHECK(streamed({"\xF0\x9F", "\xA4", "\xA3"}) == Strings{"", "", "\xF0\x9F\xA4\xA3", ""});
    CHECK(streamed({"\xC4", "\x8F"}) == Strings{"", "\xC4\x8F", ""});
    CHECK(streamed({"a\xC4",
                    "\x8F"
                    "b"}) == Strings{"a",
                                     "\xC4\x8F"
                                     "b",
                                     ""});
  }

  TEST_CASE("plain text is never held back") {
    CHECK(streamed({"Hello", "", " you"}) == Strings{"Hello", "", " you", ""});
    CHECK(streamed({std::string("\0", 1)}) == Strings{std::string("\0", 1), ""});
  }

  TEST_CASE("a stream that ends inside a character ends with U+FFFD") {
    CHECK(streamed({"x", "\xF0\x9F"}) == Strings{"x", "", kReplacement});
    CHECK(streamed({"\xE2"}) == Strings{"", kReplacement});
  }

  TEST_CASE("bytes that can be no part of a character become U+FFFD at once") {
    CHECK(streamed({"\xFF"}) == Strings{kReplacement, ""});
    CHECK(streamed({"\x80"}) == Strings{kReplacement, ""});
    CHECK(streamed({"\xF0\x9F", "A"}) == Strings{"", std::string(kReplacement) + "A", ""});
    CHECK(streamed({"\xC0\xAF"}) == Strings{std::string(kReplacement) + kReplacement, ""});  // an overlong slash
  }

  TEST_CASE("ill-formed text is cut into maximal pieces, as the Unicode standard's table 3-8 does") {
    const std::string text = "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64";
    const std::string mark = kReplacement;
    CHECK(joined(streamed({text})) == "a" + mark + mark + mark + "b" + mark + "c" + mark + mark + "d");
    // Surrogates and what lies beyond U+10FFFF: one mark a byte.
    CHECK(joined(streamed({"\xED\xA0\x80"})) == mark + mark + mark);
    CHECK(joined(streamed({"\xF4\x90\x80\x80"})) == mark + mark + mark + mark);
  }

  TEST_CASE("where a text is cut does not change what comes out, whatever its bytes") {
    Random random(11);
    const std::string bytes("\x41\x7F\x80\x9F\xA0\xBF\xC2\xDF\xE0\xE1\xED\xEF\xF0\xF1\xF4\xF5\xFF", 17);
    for (int round = 0; round < 2000; ++round) {
      std::string text;
      for (int64_t left = random.below(12); left > 0; --left) text += bytes[static_cast<size_t>(random.below(17))];
      Strings pieces;
      for (size_t at = 0; at < text.size();) {
        const auto length = static_cast<size_t>(random.below(4));
        pieces.push_back(text.substr(at, length));
        at += length;
      }
      REQUIRE(joined(streamed(pieces)) == joined(streamed({text})));
    }
  }

  TEST_CASE("code points are those of the characters") {
    CHECK(code_point_of("A") == U'A');
    CHECK(code_point_of("\xC4\x8F") == U'\u010F');
    CHECK(code_point_of("\xE2\x82\xAC") == U'\u20AC');
    CHECK(code_point_of("\xF0\x9F\x98\x80") == U'\U0001F600');
  }
}
