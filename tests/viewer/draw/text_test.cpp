#include "viewer/draw/text.h"

#include <doctest/doctest.h>

#include "model/utf8_stream.h"

using namespace kv::viewer;

namespace {

// Every byte is half the font's size wide; Latin can be drawn and nothing else.
struct PlainMeasure : TextMeasure {
  float width(Font font, std::string_view text) const override {
    return font.size / 2 * static_cast<float>(text.size());
  }
  bool can_draw(std::string_view text) const override {
    while (!text.empty()) {
      const auto piece = kv::first_utf8_piece(text);
      if (kv::code_point_of(text.substr(0, piece.bytes)) > 0xFF) return false;
      text.remove_prefix(piece.bytes);
    }
    return true;
  }
};

const PlainMeasure kMeasure;
constexpr Font kFont{Face::regular, 16};  // 8 px a byte

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("what cannot be drawn is shown by its bytes, never as a question mark") {
    CHECK(shown("want", kMeasure) == "want");
    CHECK(shown("caf\xC3\xA9", kMeasure) == "caf\xC3\xA9");
    CHECK(shown("\xF0\x9F\x98\x80", kMeasure) == "<F0 9F 98 80>");                // an emoji
    CHECK(shown("a\xF0\x9F\x98", kMeasure) == "a<F0 9F 98>");                     // that a token's end cuts
    CHECK(shown("\xFF!", kMeasure) == "<FF>!");                                   // no UTF-8 at all
    CHECK(shown("\xE4\xB8\x96\xE7\x95\x8C", kMeasure) == "<E4 B8 96 E7 95 8C>");  // two characters
    CHECK(shown("\n\n\tb\x07", kMeasure) == "\\n\\n\\tb<07>");
    CHECK(shown("", kMeasure).empty());
  }

  TEST_CASE("a text that fits stays whole, a longer one ends in dots and fits") {
    CHECK(shortened("abcdef", kFont, 48, kMeasure) == "abcdef");
    CHECK(shortened("abcdefg", kFont, 48, kMeasure) == "abc...");
    CHECK(shortened("abcdefg", kFont, 24, kMeasure) == "...");
    CHECK(shortened("abcdefg", kFont, 23, kMeasure).empty());
    CHECK(shortened("a\xC3\xA9\xC3\xA9\xC3\xA9", kFont, 48, kMeasure) == "a\xC3\xA9...");  // never inside a character
  }

  TEST_CASE("lines are no wider than asked for, and a word that is wider is cut") {
    using Lines = std::vector<std::string>;
    CHECK(wrapped("the key and the value", kFont, 80, kMeasure) == Lines{"the key", "and the", "value"});
    CHECK(wrapped("one", kFont, 80, kMeasure) == Lines{"one"});
    CHECK(wrapped("", kFont, 80, kMeasure).empty());
    CHECK(wrapped("abcdefghijklmno pq", kFont, 40, kMeasure) == Lines{"abcde", "fghij", "klmno", "pq"});
  }
}
