// Which numbers the reader sees of a lane: those of the step that is shown, recorded or, at the size of a larger model,
// predicted.
#pragma once

#include <optional>

#include "viewer/draw/view_state.h"
#include "viewer/session/lane_numbers.h"

namespace kv::viewer {

// The selected lane within those there are; -1 for none.
int selected_lane(const RunView& run, const ViewState& view);

// "at the size of" one of sizes_to_compare(), for the whole screen; null: the models that run. Attention shows weights,
// which only a model that runs has, so there nothing is restated.
const SizeOf* size_shown(const ViewState& view);

// The variant of a size that stands for a running lane: with its kind of attention (its label), else at its place.
size_t variant_for(const SizeOf& size, const LaneView& lane, int index);

// The model that stands for a lane: its own, or its variant of the size that is shown.
const ModelConfig& shown_config(const RunView& run, const ViewState& view, int lane);

// The step of a lane: the playhead's, or its last where it ended before; -1 while nothing is recorded.
int64_t shown_step(const LaneView& lane, const ViewState& view);

// Nothing while nothing is recorded.
std::optional<LaneNumbers> shown_numbers(const RunView& run, const ViewState& view, int lane);

}  // namespace kv::viewer
