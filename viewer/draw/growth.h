// The first scene: the caches of all lanes as they grow, one under the other on one token axis. Height is bytes of a
// token, width is tokens, so area is memory.
#pragma once

#include <optional>

#include "viewer/draw/cell.h"
#include "viewer/draw/heat_map.h"
#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// The scene in regions.content: headline to ruler.
Picture draw_growth(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure,
                    HeatMaps& maps);

// The stored vector under a point, or in the zoom the number; nothing where nothing is stored.
std::optional<Cell> growth_cell_at(const RunView& run, const ViewState& view, const Regions& regions, Point point);

}  // namespace kv::viewer
