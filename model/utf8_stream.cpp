#include "model/utf8_stream.h"

namespace kv {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

Utf8Piece first_utf8_piece(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {Utf8Piece::Kind::character, 1};
  if (first < 0xC2 || first > 0xF4) return {Utf8Piece::Kind::invalid, 1};

  // The second byte's range excludes overlong forms, surrogates, and what lies beyond U+10FFFF.
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const unsigned least = first == 0xE0 ? 0xA0u : first == 0xF0 ? 0x90u : 0x80u;
  const unsigned most = first == 0xED ? 0x9Fu : first == 0xF4 ? 0x8Fu : 0xBFu;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {Utf8Piece::Kind::unfinished, i};
    const bool fits = i == 1 ? byte(i) >= least && byte(i) <= most : (byte(i) & 0xC0u) == 0x80u;
    if (!fits) return {Utf8Piece::Kind::invalid, i};
  }
  return {Utf8Piece::Kind::character, length};
}

char32_t code_point_of(std::string_view character) {
  char32_t point = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) point &= 0x7Fu >> character.size();
  for (const char c : character.substr(1)) point = (point << 6) | (static_cast<unsigned char>(c) & 0x3Fu);
  return point;
}

std::string Utf8Stream::push(std::string_view bytes) {
  held_ += bytes;
  std::string complete;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const Utf8Piece piece = first_utf8_piece(rest);
    if (piece.kind == Utf8Piece::Kind::unfinished) break;
    complete += piece.kind == Utf8Piece::Kind::character ? rest.substr(0, piece.bytes) : kReplacement;
    rest.remove_prefix(piece.bytes);
  }
  held_ = std::string(rest);
  return complete;
}

std::string Utf8Stream::flush() {
  const bool unfinished = !held_.empty();
  held_.clear();
  return std::string(unfinished ? kReplacement : "");
}

}  // namespace kv
