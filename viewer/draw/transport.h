// Transport: the strip at the bottom of the window: scrubber, what the step costs, and the buttons that move the
// playhead.
#pragma once

#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Three short lines at the right of the scrubber: what this step's FLOPs are made of, or without the cache how many
// they are. Empty lines while nothing is recorded.
struct StepCostWords {
  std::string first, amount, last;
};
StepCostWords step_cost_words(const RunView& run, const ViewState& view);

Picture draw_transport(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure);

}  // namespace kv::viewer
