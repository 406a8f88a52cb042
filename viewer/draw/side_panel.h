// SidePanel: three pages under small tabs, beside the content or, where there is no room for that, over it.
#pragma once

#include "viewer/draw/regions.h"
#include "viewer/draw/scroll.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct SidePanel {
  Picture picture;
  Scroll scroll;  // of a page that may be higher than the panel; of others an empty box
};
// Nothing when the panel is hidden.
SidePanel draw_side_panel(const RunView& run, const ViewState& view, const Regions& regions,
                          const TextMeasure& measure);

}  // namespace kv::viewer
