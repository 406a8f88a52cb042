// A frame: everything in the window but the prompt's text field, which the window lays over its place.
#pragma once

#include <memory>

#include "viewer/draw/heat_map.h"
#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/scroll.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct Frame {
  Picture picture;  // the scene and what is around it
  Picture overlay;  // in front of all: the list of keys, what is hovered, a notice
  Regions regions;
  Rect prompt_field;    // where the prompt is edited
  Rect scrubber;        // dragging in it moves the playhead (scrubber.h)
  Scroll panel_scroll;  // the side panel's page
};

// `maps` keeps texels from one frame to the next, which changes the speed and nothing else.
Frame draw_frame(const RunView& run, const ViewState& view, const TextMeasure& measure, HeatMaps& maps);

// What lies under a point of the scene, for hovering.
std::optional<Cell> cell_at(const RunView& run, const ViewState& view, Point point);
// The step that a drag to x asks for.
int64_t step_at(const RunView& run, const ViewState& view, float x);

}  // namespace kv::viewer
