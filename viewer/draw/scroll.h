// Scroll: a page that may be higher than its place, and which part of it is shown.
#pragma once

#include <algorithm>
#include <functional>

#include "viewer/draw/picture.h"
#include "viewer/draw/view_state.h"

namespace kv::viewer {

struct Page {
  Picture picture;
  float height = 0;  // of all of it, in logical pixels, where the picture shows a part
};

struct Scroll {
  Rect box;          // where the page is; the wheel turns it there
  float height = 0;  // of the page
  float at = 0;      // pixels of it above the box

  float most() const { return std::max(0.f, height - box.height()); }
  bool needed() const { return most() > 0; }
  float to(float wanted) const { return std::clamp(wanted, 0.f, most()); }
};

inline constexpr float kScrollLine = 18;

// Adds the page as `draw` gives it with so many pixels above the box, as far down as the view has it or to its end; and
// right of the box a mark of how much of it is shown, and where that lies.
Scroll add_scrolled(Picture& picture, const Rect& box, const ViewState& view, const std::function<Page(float)>& draw);

}  // namespace kv::viewer
