// Scrubber: one bar a step, as high as its FLOPs, on the token axis of the maps. What the step does for the new token
// stands below, the scan of the old ones above it; a drag in it moves the playhead.
#pragma once

#include <cstdint>
#include <vector>

#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/token_axis.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

TokenAxis token_axis_of(const ViewState& view, const Regions& regions);
Rect scrubber_box(const Regions& regions);

// One decode step, or where steps are narrower than a pixel the one in a pixel's middle.
struct StepBar {
  int64_t step = 0;
  Rect new_token, scan;
  bool ahead = false;  // behind the playhead's step
};
struct ScrubberBars {
  Rect prompt;                // as wide as the prompt, as high as its FLOPs where these fit
  bool prompt_is_cut = true;  // they do not: the block is higher than can be drawn
  float read = 0;             // x up to which the prompt is read
  double flops_a_pixel = 0;
  std::vector<StepBar> bars;
};
// Of the selected lane; recorded steps, and those to come as far as the axis and the lane reach.
ScrubberBars scrubber_bars(const RunView& run, const ViewState& view, const Regions& regions);

// Where the playhead stands: right behind the newest token of the selected lane.
float playhead_x(const RunView& run, const ViewState& view, const Regions& regions);
// The other way: the recorded step whose playhead is nearest to x.
int64_t step_at_x(const RunView& run, const ViewState& view, const Regions& regions, float x);

Picture draw_scrubber(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure);

}  // namespace kv::viewer
