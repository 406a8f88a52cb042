// Fonts: the faces and sizes of this program in Dear ImGui's atlas, and how wide a text comes out.
//
// Each size that is used is a face of its own, drawn at size x scale: letters are never stretched. Widths are in
// logical pixels; since a letter's advance is proportional to its size, they are the same at every scale.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "viewer/draw/text.h"
#include "viewer/window/font_files.h"

namespace kv::viewer {

class Fonts final : public TextMeasure {
 public:
  // `characters`: UTF-8 text of what will have to be written besides Latin letters and signs; what the font files lack
  // is left out.
  Fonts(FontFiles files, std::string characters);

  // Fills the atlas of the current ImGui context, which forgets its old fonts; between frames only. The caller makes
  // the texture. Throws nothing for a file that is missing: `warnings` tells.
  void build(float scale);
  const std::vector<std::string>& warnings() const { return warnings_; }
  float scale() const { return scale_; }

  ImFont* face(Font font) const;

  float width(Font font, std::string_view text) const override;
  bool can_draw(std::string_view text) const override;

 private:
  struct Built {
    Font font;
    ImFont* face;
  };
  ImFont* add(Font font, const std::vector<ImWchar>& ranges);

  FontFiles files_;
  std::vector<std::string> warnings_;
  std::vector<ImWchar> ranges_;  // pairs of first and last, 0 at the end; must live as long as the atlas
  std::vector<Built> built_;
  float scale_ = 1;
};

}  // namespace kv::viewer
