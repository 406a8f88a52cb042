// HoverTip: a few lines about what is under the mouse, a cell or a spot, beside it and never outside the window.
#pragma once

#include "viewer/draw/picture.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Of view.hovered; nothing without one. `at`: where the cell is; `room`: where the tip may be.
Picture draw_hover_tip(const RunView& run, const ViewState& view, Rect room, Point at, const TextMeasure& measure);

// The words of view.told, beside the mouse; nothing without them.
Picture draw_told(const ViewState& view, Rect room, const TextMeasure& measure);

}  // namespace kv::viewer
