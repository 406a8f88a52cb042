// FixedMeasure: a TextMeasure without fonts, a little wider than the real ones, so that labels that are clear of each
// other here are clear on the screen.
#pragma once

#include <string_view>

#include "model/utf8_stream.h"
#include "viewer/draw/text.h"

namespace kv::viewer {

// A character of Inter is 0.50 em wide on average in English text, one of JetBrains Mono 0.60; an em is 0.826 of the
// size in which fonts are given here (ascent minus descent).
struct FixedMeasure : TextMeasure {
  static constexpr float kEm = 0.826f;

  float width(Font font, std::string_view text) const override {
    const float share = font.face == Face::mono ? 0.61f : font.face == Face::semibold ? 0.58f : 0.56f;
    float characters = 0;
    while (!text.empty()) {
      text.remove_prefix(first_utf8_piece(text).bytes);
      ++characters;
    }
    return share * kEm * font.size * characters;
  }
  // Latin, as far as two bytes of UTF-8 reach.
  bool can_draw(std::string_view text) const override {
    while (!text.empty()) {
      const Utf8Piece piece = first_utf8_piece(text);
      if (piece.kind != Utf8Piece::Kind::character || code_point_of(text.substr(0, piece.bytes)) >= 0x250) return false;
      text.remove_prefix(piece.bytes);
    }
    return true;
  }
};

}  // namespace kv::viewer
