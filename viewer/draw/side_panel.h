// SidePanel: three pages under small tabs, beside the content or, where there is no room for that, over it.
#pragma once

#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Nothing when the panel is hidden.
Picture draw_side_panel(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure);

}  // namespace kv::viewer
