// What every error message has to be, whatever a file holds.
#pragma once

#include <string_view>

#include "model/utf8_stream.h"

namespace kv::test {

// UTF-8 without control characters.
inline bool is_one_printable_line(std::string_view text) {
  while (!text.empty()) {
    const Utf8Piece piece = first_utf8_piece(text);
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const bool is_control = byte(0) < 0x20 || byte(0) == 0x7f || (byte(0) == 0xc2 && byte(1) < 0xa0);
    if (piece.kind != Utf8Piece::Kind::character || is_control) return false;
    text.remove_prefix(piece.bytes);
  }
  return true;
}

}  // namespace kv::test
