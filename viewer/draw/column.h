// Column: writes lines of text from the top of a region downwards, and none that does not fit any more. One that is
// scrolled begins above the region, and leaves out what lies there.
#pragma once

#include <string>
#include <string_view>

#include "viewer/draw/picture.h"

namespace kv::viewer {

class Column {
 public:
  Column(Picture& picture, Rect region, const TextMeasure& measure, float scrolled = 0)
      : picture_(picture), region_(region), measure_(measure), top_(region.top - scrolled), y_(top_) {}

  float y() const { return y_; }
  float left() const { return region_.left; }
  float right() const { return region_.right; }
  const Rect& region() const { return region_; }
  // Whether `height` more pixels are there.
  bool fits(float height) const { return y_ + height <= region_.bottom; }
  // Whether something was left out, for want of room.
  bool cut() const { return cut_; }
  void skip(float height) { y_ += height; }
  // Whether the next `height` pixels are drawn. What comes after something that was left out is left out as well.
  bool takes(float height);
  // Of all that was written, drawn or not.
  float height() const { return y_ - top_; }

  // One line, shortened to the width.
  void line(std::string_view text, Font font, Colour colour, float line_height);
  // As many lines as it takes.
  void paragraph(std::string_view text, Font font, Colour colour, float line_height);
  // Name at the left, value at the right; the name is shortened.
  void row(std::string_view name, std::string_view value, Font value_font, Colour name_colour, Colour value_colour,
           float line_height);
  void rule(Colour colour);

 private:
  Picture& picture_;
  Rect region_;
  const TextMeasure& measure_;
  float top_, y_;
  bool cut_ = false;
};

}  // namespace kv::viewer
