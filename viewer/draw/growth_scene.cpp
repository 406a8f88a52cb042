#include "viewer/draw/growth_scene.h"

#include <algorithm>

#include "viewer/draw/cache_words.h"
#include "viewer/draw/shown_numbers.h"

namespace kv::viewer {

namespace {

GrowthLane running_lane(const LaneView& view, int64_t step) {
  GrowthLane lane;
  lane.label = view.facts->label;
  lane.config = &view.config();
  lane.cache_dtype = view.facts->cache_dtype;
  lane.view = &view;
  lane.context = view.context_at(step);
  lane.prompt = std::ssize(view.facts->prompt);
  lane.reading = view.steps.empty();
  if (!lane.reading) lane.numbers = numbers_of(view, std::min(step, view.last_step()));
  lane.failed = view.failed && step >= view.last_step();
  lane.full = !lane.reading && lane.context >= view.facts->capacity;
  return lane;
}

// The shapes of a size, at the tokens that the selected lane has read.
std::vector<GrowthLane> computed_lanes(const SizeOf& size, const GrowthLane& selected, int64_t step) {
  std::vector<GrowthLane> lanes;
  for (size_t i = 0; i < size.variants.size(); ++i) {
    GrowthLane lane;
    lane.label = size.labels[i];
    lane.config = &size.variants[i];
    lane.cache_dtype = selected.cache_dtype;
    lane.context = selected.context;
    lane.prompt = selected.prompt;
    lane.reading = selected.reading;
    if (!lane.reading) lane.numbers = predicted_numbers(*lane.config, lane.prompt, step, lane.cache_dtype);
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

}  // namespace

bool GrowthLane::has_window() const { return first_windowed_layer(*config) >= 0; }

GrowthScene growth_scene_of(const RunView& run, const ViewState& view, const Regions& regions) {
  std::vector<GrowthLane> lanes;
  for (const LaneView& lane : run.lanes) {
    lanes.push_back(running_lane(lane, std::max<int64_t>(view.step, 0)));
    lanes.back().runs_as = static_cast<int>(lanes.size()) - 1;
  }
  int selected = std::clamp(view.lane, 0, std::max(0, static_cast<int>(lanes.size()) - 1));
  ViewState placed = view;
  if (const SizeOf* size = size_shown(view); size && !lanes.empty()) {
    const GrowthLane& of = lanes[static_cast<size_t>(selected)];
    const int64_t step = of.reading ? 0 : std::clamp<int64_t>(view.step, 0, of.view->last_step());
    const auto variant = static_cast<int>(variant_for(*size, *of.view, selected));
    std::vector<GrowthLane> computed = computed_lanes(*size, of, step);
    for (int i = static_cast<int>(lanes.size()) - 1; i >= 0; --i)
      computed[variant_for(*size, *lanes[static_cast<size_t>(i)].view, i)].runs_as = i;
    lanes = std::move(computed);
    selected = variant;
    placed.zoom.reset();  // there are no values to look at
  }
  std::vector<LaneShape> shapes;
  for (const GrowthLane& lane : lanes) shapes.push_back({lane.config, lane.cache_dtype});
  GrowthLayout layout = growth_layout_of(shapes, regions, placed);
  return {run, view, regions, palette_of(view.theme), std::move(lanes), std::move(layout), selected};
}

}  // namespace kv::viewer
