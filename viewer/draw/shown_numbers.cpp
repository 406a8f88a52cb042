#include "viewer/draw/shown_numbers.h"

#include <algorithm>

namespace kv::viewer {

int selected_lane(const RunView& run, const ViewState& view) {
  return std::clamp(view.lane, 0, std::max(0, static_cast<int>(run.lanes.size()) - 1)) - (run.lanes.empty() ? 1 : 0);
}

const SizeOf* size_shown(const ViewState& view) {
  const std::vector<SizeOf>& sizes = sizes_to_compare();
  if (view.at_size_of < 0 || view.scene == Scene::attention || sizes.empty()) return nullptr;
  return &sizes[std::min(static_cast<size_t>(view.at_size_of), sizes.size() - 1)];
}

size_t variant_for(const SizeOf& size, const LaneView& lane, int index) {
  const auto found = std::find(size.labels.begin(), size.labels.end(), lane.facts->label);
  if (found != size.labels.end()) return static_cast<size_t>(found - size.labels.begin());
  return std::min(static_cast<size_t>(index), size.variants.size() - 1);
}

const ModelConfig& shown_config(const RunView& run, const ViewState& view, int lane) {
  const LaneView& own = run.lanes[static_cast<size_t>(lane)];
  const SizeOf* size = size_shown(view);
  return size ? size->variants[variant_for(*size, own, lane)] : own.config();
}

int64_t shown_step(const LaneView& lane, const ViewState& view) {
  return std::min(std::max<int64_t>(view.step, 0), lane.last_step());
}

std::optional<LaneNumbers> shown_numbers(const RunView& run, const ViewState& view, int lane) {
  const LaneView& own = run.lanes[static_cast<size_t>(lane)];
  const int64_t step = shown_step(own, view);
  if (step < 0) return std::nullopt;
  if (!size_shown(view)) return numbers_of(own, step);
  return predicted_numbers(shown_config(run, view, lane), std::ssize(own.facts->prompt), step, own.facts->cache_dtype);
}

}  // namespace kv::viewer
