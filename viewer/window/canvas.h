// Canvas: an offscreen framebuffer of any size, and what was drawn on it. Neither the window's size nor what lies over
// it matters to its pixels.
#pragma once

#include "viewer/window/palette_png.h"
#include "viewer/window/view.h"

struct ImDrawData;

namespace kv::viewer {

class Canvas {
 public:
  // Needs a current context. Throws std::runtime_error when this machine cannot draw a picture of that size.
  explicit Canvas(PixelSize size);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  // Dear ImGui's frame, as it was rendered, on a ground of one colour.
  Pixels draw(ImDrawData& data, Colour ground) const;

 private:
  PixelSize size_;
  unsigned framebuffer_ = 0, colours_ = 0;
};

}  // namespace kv::viewer
