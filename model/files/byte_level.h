// The alphabet in which byte-level tokenizers write bytes: 256 printable characters, one for each byte (GPT-2's
// bytes_to_unicode). Vocabularies and merges in files are spelt with it: a space is "Ġ", a line feed "Ċ".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kv {

// The character of a byte, in UTF-8.
std::string byte_level_character(uint8_t byte);

// The bytes that a token's spelling stands for; nothing when it holds a character outside the alphabet.
std::optional<std::string> bytes_of_byte_level(std::string_view spelling);

}  // namespace kv
