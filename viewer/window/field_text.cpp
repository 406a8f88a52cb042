#include "viewer/window/field_text.h"

#include <optional>

#include "model/utf8_stream.h"
#include "viewer/draw/text.h"

namespace kv::viewer {

namespace {

// Dear ImGui leaves out what has no 16 bits, and the private range, which some systems use for keys.
bool is_lost(char32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0xE000 && code <= 0xF8FF) || code > 0xFFFF;
}

bool may_be_meant(char32_t code) { return code == '<' || code > 0x7F || is_lost(code); }

std::optional<int> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

bool are_meant(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Piece piece = first_utf8_piece(bytes);
    if (piece.kind != Utf8Piece::Kind::character || !may_be_meant(code_point_of(bytes.substr(0, piece.bytes))))
      return false;
    bytes.remove_prefix(piece.bytes);
  }
  return true;
}

struct Bytes {
  std::string bytes;
  size_t length = 0;  // of their notation
};
// The bytes with whose notation `text` begins; nothing: it begins otherwise.
std::optional<Bytes> first_bytes(std::string_view text) {
  Bytes found;
  if (!text.starts_with('<')) return std::nullopt;
  for (size_t at = 1; at + 2 < text.size(); at += 3) {
    const auto high = digit(text[at]), low = digit(text[at + 1]);
    if (!high || !low) return std::nullopt;
    found.bytes += static_cast<char>(16 * *high + *low);
    if (text[at + 2] == '>') {
      found.length = at + 3;
      return are_meant(found.bytes) ? std::optional(found) : std::nullopt;
    }
    if (text[at + 2] != ' ') return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string field_text(std::string_view prompt) {
  std::string text;
  while (!prompt.empty()) {
    const Utf8Piece piece = first_utf8_piece(prompt);
    const std::string_view character = prompt.substr(0, piece.bytes);
    const bool whole = piece.kind == Utf8Piece::Kind::character;
    const bool as_bytes = first_bytes(prompt) || (whole && is_lost(code_point_of(character)));
    text += as_bytes ? in_hexadecimal(character) : std::string(character);
    prompt.remove_prefix(piece.bytes);
  }
  return text;
}

std::string prompt_of_field(std::string_view text) {
  std::string prompt;
  while (!text.empty()) {
    const std::optional<Bytes> bytes = first_bytes(text);
    prompt += bytes ? bytes->bytes : std::string(1, text.front());
    text.remove_prefix(bytes ? bytes->length : 1);
  }
  return prompt;
}

}  // namespace kv::viewer
