// Painting: a Picture as Dear ImGui's vertices, times the scale. The only place where shapes become pixels.
#pragma once

#include <imgui.h>

#include "viewer/draw/picture.h"
#include "viewer/window/fonts.h"

namespace kv::viewer {

// Where the texels of an image went.
class Textures {
 public:
  virtual ~Textures() = default;
  virtual ImTextureID texture_of(const Image& image) = 0;
};

// At the fonts' scale. Horizontal and vertical lines fall on whole pixels of the framebuffer, so that they stay sharp.
void paint(const Picture& picture, const Fonts& fonts, Textures& textures, ImDrawList& out);

inline ImU32 packed(Colour colour) { return IM_COL32(colour.red, colour.green, colour.blue, colour.alpha); }

}  // namespace kv::viewer
