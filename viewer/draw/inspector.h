// Inspector: the side panel's second page: the cell that is pointed at, down to its address and the function that wrote
// it; with nothing pointed at, the step.
#pragma once

#include <string>
#include <vector>

#include "viewer/code/code.h"
#include "viewer/draw/scroll.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// The phases of a layer that a model runs: those outside its branches and those of its branch.
std::vector<CodePhase> layer_phases(const ModelConfig& config);
// Which of them is lit: what stored the cell, or while a step plays the one that its phase has reached; -1: none.
int lit_phase(const std::vector<CodePhase>& phases, const ViewState& view, bool cell_shown);

// The cell that the inspector is about: what is hovered, else what is pinned.
std::optional<Cell> inspected_cell(const ViewState& view);

// With so many pixels of it above the region.
Page draw_inspector(const RunView& run, const ViewState& view, Rect region, float scrolled, const TextMeasure& measure);

}  // namespace kv::viewer
