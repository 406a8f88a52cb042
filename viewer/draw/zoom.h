// The zoom of the growth scene: one layer of one lane at a pixel a number. The other lanes fold to their text line.
#pragma once

#include <vector>

#include "viewer/draw/growth_layout.h"
#include "viewer/draw/view_state.h"

namespace kv::viewer {

struct VerticalRange {
  float top = 0, bottom = 0;
};

// Rearranges a layout: the layer takes the room of the maps, at as many whole pixels a number as fit (at most 8); K and
// V stand side by side, below a line for their names, when they would otherwise need less than a pixel; where even that
// is not enough, a row is the mean of 2, 3, ... numbers. Does nothing when there is no such lane, or when the layer
// stores nothing.
void zoom_into(GrowthLayout& layout, const Zoom& zoom, const std::vector<LaneShape>& lanes, VerticalRange room,
               const Regions& regions);

// Numbers of a strip that are one row of its texels.
int64_t values_per_row(const GrowthLayout& layout);
// Rows of texels of a strip: of a head's K, its head_dim, or as many as fit.
int64_t rows_of(const Strip& strip, const GrowthLayout& layout);

}  // namespace kv::viewer
