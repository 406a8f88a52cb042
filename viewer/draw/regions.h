// Regions: how a window is divided. All sizes in logical pixels, for any window from 640x480 up; a smaller one has no
// room for a picture.
#pragma once

#include "viewer/draw/geometry.h"
#include "viewer/draw/view_state.h"

namespace kv::viewer {

inline constexpr float kWindowWidth = 640, kWindowHeight = 480;  // at least
inline bool has_room(const ViewState& view) {
  return view.window.width() >= kWindowWidth && view.window.height() >= kWindowHeight;
}

struct Regions {
  Rect top_bar;
  Rect content;  // between top bar and transport, left of the panel
  Rect panel;    // empty when it is hidden; a drawer over the content under 1,100 px
  bool panel_is_drawer = false;
  Rect transport;

  Rect map;       // x range of the maps, over the content's height
  Rect names;     // left of it
  Rect readouts;  // right of it
};
Regions regions_of(const ViewState& view);

}  // namespace kv::viewer
