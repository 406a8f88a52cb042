#include "model/files/byte_level.h"

#include <doctest/doctest.h>

#include <set>

using namespace kv;

TEST_SUITE("model/files") {
  TEST_CASE("every byte has a character of its own, and comes back from it") {
    std::set<std::string> characters;
    for (int byte = 0; byte < 256; ++byte) {
      const std::string character = byte_level_character(static_cast<uint8_t>(byte));
      characters.insert(character);
      CHECK(bytes_of_byte_level(character) == std::string(1, static_cast<char>(byte)));
    }
    CHECK(characters.size() == 256);
  }

  TEST_CASE("the alphabet is GPT-2's") {
    CHECK(byte_level_character(' ') == "\u0120");
    CHECK(byte_level_character('\n') == "\u010A");
    CHECK(byte_level_character('\t') == "\u0109");
    CHECK(byte_level_character('A') == "A");
    CHECK(byte_level_character(0x00) == "\u0100");
    CHECK(byte_level_character(0x7F) == "\u0121");
    CHECK(byte_level_character(0x80) == "\u0122");
    CHECK(byte_level_character(0xA0) == "\u0142");
    CHECK(byte_level_character(0xA1) == "\u00A1");
    CHECK(byte_level_character(0xAD) == "\u0143");
    CHECK(byte_level_character(0xFF) == "\u00FF");
  }

  TEST_CASE("a spelling with a character outside the alphabet stands for no bytes") {
    CHECK(bytes_of_byte_level("\u0120the") == " the");
    CHECK(bytes_of_byte_level("") == "");
    CHECK(!bytes_of_byte_level("a b"));
    CHECK(!bytes_of_byte_level("\u0144"));
    CHECK(!bytes_of_byte_level("\U0001F600"));
    CHECK(!bytes_of_byte_level("\xFF"));
  }
}
