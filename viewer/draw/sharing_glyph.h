// The sharing glyph: query heads as dots, and lines to the K and V that they share; with a latent one bar and a short
// one for the rope key, which all heads share.
#pragma once

#include "model/config.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/picture.h"

namespace kv::viewer {

inline constexpr float kGlyphWidth = 96, kGlyphHeight = 21;

struct SharingGlyph {
  int64_t dots = 0;    // query heads
  int64_t shared = 0;  // KV heads; 1 for a latent
  bool latent = false;

  // The K and V that a dot reads.
  int64_t shared_of(int64_t dot) const { return dot * shared / dots; }
};
SharingGlyph sharing_of(const ModelConfig& config, int64_t layer = 0);

// Nothing for more heads than dots would stay apart of: a glyph has the numbers that the text beside it says.
inline constexpr int64_t kMostDots = 32;
Picture draw_sharing_glyph(const ModelConfig& config, Rect box, const Palette& palette, int64_t layer = 0);

}  // namespace kv::viewer
