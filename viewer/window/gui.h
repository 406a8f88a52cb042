// Gui: a Dear ImGui context of our own: its fonts, its style at the theme and the scale, and nothing kept on disk.
//
// One exists at a time. Without a window it works as well: then nobody looks at the vertices, and tests do.
#pragma once

#include <functional>

#include "viewer/draw/geometry.h"
#include "viewer/draw/palette.h"
#include "viewer/window/fonts.h"

namespace kv::viewer {

class Gui {
 public:
  explicit Gui(const Fonts& fonts);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // Between frames: fonts and style for a scale and a theme. Does nothing when both are as they were; true when the
  // atlas is new, so that its texture has to be.
  bool prepare(float scale, Theme theme);
  // Forgets the atlas, for other characters.
  void use(const Fonts& fonts);
  const Fonts& fonts() const { return fonts_; }

 private:
  Fonts fonts_;
  float scale_ = 0;  // of the atlas; 0: there is none yet
  Theme theme_ = Theme::dark;
};

}  // namespace kv::viewer
