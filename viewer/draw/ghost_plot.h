// GhostPlot: what steps would take without the cache, beside what they take, on a logarithmic axis of FLOPs. The lines
// are predicted. This step without the cache is a triangle, with it a square, or at a size that does not run another
// triangle; dots are steps that were really run without the cache and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct GhostPlot {
  Rect box;  // of the lines
  std::vector<Point> with_cache, without_cache;
  Point this_without_cache, this_with_cache;
  std::vector<Point> ran;           // at [i] LaneView::without_cache[i], as far as the axis reaches
  double lowest = 1, highest = 10;  // FLOPs at the lower and upper edge: powers of ten
  int64_t tokens = 0;               // at the right edge; 0 at the left

  float y_of(double flops) const;
};
// Under the side panel; nothing where that is no column of the window, or nothing is recorded.
std::optional<GhostPlot> ghost_plot(const RunView& run, const ViewState& view, const Regions& regions);

Picture draw_ghost_plot(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure);

}  // namespace kv::viewer
