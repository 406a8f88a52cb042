// Which numbers the reader sees of a lane: those of the step that is shown, recorded or, at the size of a larger model,
// predicted.
#pragma once

#include <optional>

#include "viewer/draw/view_state.h"
#include "viewer/session/lane_numbers.h"

namespace kv::viewer {

// The selected lane within those there are; -1 for none.
int selected_lane(const RunView& run, const ViewState& view);

// The model that stands for a lane: its own, or the variant of the size that is asked for with the lane's kind of
// attention (its label, else its place).
const ModelConfig& shown_config(const RunView& run, const ViewState& view, int lane);

// The step of a lane: the playhead's, or its last where it ended before; -1 while nothing is recorded.
int64_t shown_step(const LaneView& lane, const ViewState& view);

// Nothing while nothing is recorded.
std::optional<LaneNumbers> shown_numbers(const RunView& run, const ViewState& view, int lane);

}  // namespace kv::viewer
