// Where a cell is drawn: the other way round from finding the cell under a point.
#pragma once

#include <optional>

#include "viewer/draw/cell.h"
#include "viewer/draw/geometry.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Its box in the scene; nothing where it is not shown.
std::optional<Rect> place_of(const Cell& cell, const RunView& run, const ViewState& view, const Regions& regions);

}  // namespace kv::viewer
