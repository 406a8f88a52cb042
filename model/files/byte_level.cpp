#include "model/files/byte_level.h"

#include <array>

#include "model/utf8_stream.h"

namespace kv {

namespace {

// Bytes that are printable characters of Latin-1 stand for themselves; the other 68 follow U+0100, in order.
constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> kCharacters = [] {
  std::array<char32_t, 256> characters = {};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = stands_for_itself(byte) ? byte : next++;
  return characters;
}();
static_assert(kCharacters[' '] == U'\u0120' && kCharacters['\n'] == U'\u010A' && kCharacters[0xAD] == U'\u0143');

constexpr std::array<int16_t, 0x144> kBytes = [] {
  std::array<int16_t, 0x144> bytes = {};
  for (int16_t& byte : bytes) byte = -1;
  for (unsigned byte = 0; byte < 256; ++byte) bytes[kCharacters[byte]] = static_cast<int16_t>(byte);
  return bytes;
}();

}  // namespace

std::string byte_level_character(uint8_t byte) {
  const char32_t point = kCharacters[byte];
  if (point < 0x80) return {static_cast<char>(point)};
  return {static_cast<char>(0xC0u | (point >> 6)), static_cast<char>(0x80u | (point & 0x3Fu))};
}

std::optional<std::string> bytes_of_byte_level(std::string_view spelling) {
  std::string bytes;
  while (!spelling.empty()) {
    const Utf8Piece piece = first_utf8_piece(spelling);
    if (piece.kind != Utf8Piece::Kind::character) return std::nullopt;
    const char32_t point = code_point_of(spelling.substr(0, piece.bytes));
    if (point >= kBytes.size() || kBytes[point] < 0) return std::nullopt;
    bytes += static_cast<char>(kBytes[point]);
    spelling.remove_prefix(piece.bytes);
  }
  return bytes;
}

}  // namespace kv
