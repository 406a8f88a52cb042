#include "viewer/draw/zoom.h"

#include <algorithm>
#include <cmath>

#include "viewer/draw/growth_strips.h"

namespace kv::viewer {

namespace {

constexpr float kFoldedLane = 21, kFoldedGap = 8;
constexpr int64_t kLargestPixels = 8;
constexpr float kLeastZoom = 64;
constexpr float kHalfName = 18;  // a line above K and V that stand side by side, for their names

bool is_second(Role role) { return role == Role::value || role == Role::rope_key; }

// Rows of each head's vector when `together` numbers are one row, summed over the heads.
int64_t rows_of(const std::vector<Strip>& strips, bool second, int64_t together) {
  int64_t rows = 0;
  for (const Strip& strip : strips)
    if (is_second(strip.role) == second) rows += (strip.values + together - 1) / together;
  return rows;
}

struct Fit {
  bool side_by_side = false;
  int64_t together = 1;  // numbers in a row
  int64_t pixels = 1;    // height of a row
};

Fit fit(const std::vector<Strip>& strips, float height) {
  const int64_t first = rows_of(strips, false, 1), second = rows_of(strips, true, 1);
  if (const int64_t pixels = static_cast<int64_t>(height) / (first + second); pixels >= 1)
    return {false, 1, std::min(pixels, kLargestPixels)};
  const auto room = static_cast<int64_t>(height - kHalfName);
  const auto higher = [&](int64_t together) {
    return std::max(rows_of(strips, false, together), rows_of(strips, true, together));
  };
  int64_t together = 1;
  while (higher(together) > room && together < first + second) ++together;
  return {true, together, std::clamp<int64_t>(room / higher(together), 1, kLargestPixels)};
}

}  // namespace

void zoom_into(GrowthLayout& layout, const Zoom& zoom, const std::vector<LaneShape>& lanes, VerticalRange room,
               const Regions& regions) {
  if (zoom.lane < 0 || zoom.lane >= std::ssize(lanes)) return;
  const LaneShape& shape = lanes[static_cast<size_t>(zoom.lane)];
  if (zoom.layer < 0 || zoom.layer >= shape.config->layers) return;
  Band band{zoom.layer, 1, {}, strips_of(*shape.config, zoom.layer, 1, 1)};
  if (band.strips.empty()) return;

  // Every other lane keeps its text line, as long as the layer itself keeps a height worth looking at.
  const float folded = kFoldedLane + kFoldedGap;
  const auto others = static_cast<float>(std::ssize(lanes) - 1);
  const float whole = room.bottom - room.top;
  const bool show_others = whole - others * folded - kFoldedLane >= kLeastZoom;
  const float height = whole - (show_others ? others * folded : 0) - kFoldedLane;
  const Fit chosen = fit(band.strips, height);
  layout.zoomed = zoom.lane;
  layout.layers_per_band = 1;
  layout.value_pixels = static_cast<float>(chosen.pixels) / static_cast<float>(chosen.together);

  const float middle = (regions.map.left + regions.map.right) / 2;
  float y = room.top;
  for (size_t i = 0; i < layout.lanes.size(); ++i) {
    LaneLayout& lane = layout.lanes[i];
    const bool this_one = static_cast<int>(i) == zoom.lane;
    lane.bands.clear();
    lane.folded = !this_one;
    const float lane_height = this_one ? kFoldedLane + height : show_others ? kFoldedLane : 0;
    lane.box = {regions.content.left, y, regions.readouts.right, y + lane_height};
    lane.text_line = {regions.map.left, y, regions.map.right, y + std::min(kFoldedLane, lane_height)};
    lane.names = {regions.names.left, y, regions.names.right, y + lane_height};
    lane.readouts = {regions.readouts.left, y, regions.readouts.right, y + lane_height};
    if (this_one) {
      const float top = lane.text_line.bottom + (chosen.side_by_side ? kHalfName : 0);
      float bottoms[] = {top, top};  // of the first role and of the second
      for (Strip& strip : band.strips) {
        const bool second = is_second(strip.role);
        float& bottom = bottoms[chosen.side_by_side && second ? 1 : 0];
        const float strip_height = static_cast<float>(strip.values) * layout.value_pixels;
        strip.box = {regions.map.left, bottom, regions.map.right, bottom + strip_height};
        if (chosen.side_by_side) (second ? strip.box.left : strip.box.right) = middle;
        bottom = strip.box.bottom;
      }
      band.box = {regions.map.left, top, regions.map.right, std::max(bottoms[0], bottoms[1])};
      lane.bands = {band};
    }
    if (lane_height > 0) y += lane_height + kFoldedGap;
  }
  const double token_width = layout.axis_of(band.strips.front()).token_width();
  layout.bytes_per_square_pixel =
      static_cast<double>(bytes_of(shape.cache_dtype)) / (static_cast<double>(layout.value_pixels) * token_width);
  layout.ruler.top = y - kFoldedGap + 4;
  layout.ruler.bottom = layout.ruler.top + 32;
}

int64_t values_per_row(const GrowthLayout& layout) {
  return layout.value_pixels >= 1 ? 1 : static_cast<int64_t>(std::lround(1 / static_cast<double>(layout.value_pixels)));
}

int64_t rows_of(const Strip& strip, const GrowthLayout& layout) {
  const int64_t together = values_per_row(layout);
  return (strip.values + together - 1) / together;
}

}  // namespace kv::viewer
