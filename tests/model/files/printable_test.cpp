#include "model/files/printable.h"

#include <doctest/doctest.h>

using kv::printable;

TEST_SUITE("model/files") {
  TEST_CASE("text that can be seen stays as it is") {
    CHECK(printable("") == "");
    CHECK(printable("blk.0.attn_q.weight") == "blk.0.attn_q.weight");
    CHECK(printable("a b caf\xc3\xa9 \xf0\x9f\x98\x80") == "a b caf\xc3\xa9 \xf0\x9f\x98\x80");
  }

  TEST_CASE("what cannot be seen, or is no character, is spelt out byte by byte") {
    CHECK(printable("a\nb\tc") == R"(a\x0ab\x09c)");
    CHECK(printable(std::string_view("\0\x7f\x1b", 3)) == R"(\x00\x7f\x1b)");
    CHECK(printable("\xff\xc3") == R"(\xff\xc3)");
    CHECK(printable("\xc2\x85") == R"(\xc2\x85)");          // a control of Latin-1
    CHECK(printable("\xe2\x80\xa8") == R"(\xe2\x80\xa8)");  // a line separator
    CHECK(printable("\xe2\x80\xae") == R"(\xe2\x80\xae)");  // from here on, right to left
    CHECK(printable("\xed\xa0\x80") == R"(\xed\xa0\x80)");  // a surrogate
    CHECK(printable(R"(say "a\b")") == R"(say \"a\\b\")");  // so that nothing else looks like an escape
  }

  TEST_CASE("a long text is cut between characters") {
    CHECK(printable("abcdef", 6) == "abcdef");
    CHECK(printable("abcdefg", 6) == "abcdef...");
    CHECK(printable("abcde\xc3\xa9", 6) == "abcde...");
    CHECK(printable("abc\n", 6) == "abc...");
    CHECK(printable(std::string(100'000, 'x')).size() == 83);
  }
}
