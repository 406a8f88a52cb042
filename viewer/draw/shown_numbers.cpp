#include "viewer/draw/shown_numbers.h"

#include <algorithm>

namespace kv::viewer {

int selected_lane(const RunView& run, const ViewState& view) {
  return std::clamp(view.lane, 0, std::max(0, static_cast<int>(run.lanes.size()) - 1)) - (run.lanes.empty() ? 1 : 0);
}

const ModelConfig& shown_config(const RunView& run, const ViewState& view, int lane) {
  const LaneView& own = run.lanes[static_cast<size_t>(lane)];
  if (view.at_size_of < 0) return own.config();
  const auto& sizes = sizes_to_compare();
  const SizeOf& size = sizes[std::min(static_cast<size_t>(view.at_size_of), sizes.size() - 1)];
  for (size_t i = 0; i < size.labels.size(); ++i)
    if (size.labels[i] == own.facts->label) return size.variants[i];
  return size.variants[std::min(static_cast<size_t>(lane), size.variants.size() - 1)];
}

int64_t shown_step(const LaneView& lane, const ViewState& view) {
  return std::min(std::max<int64_t>(view.step, 0), lane.last_step());
}

std::optional<LaneNumbers> shown_numbers(const RunView& run, const ViewState& view, int lane) {
  const LaneView& own = run.lanes[static_cast<size_t>(lane)];
  const int64_t step = shown_step(own, view);
  if (step < 0) return std::nullopt;
  if (view.at_size_of < 0) return numbers_of(own, step);
  return predicted_numbers(shown_config(run, view, lane), std::ssize(own.facts->prompt), step, own.facts->cache_dtype);
}

}  // namespace kv::viewer
