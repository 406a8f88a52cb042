#include "viewer/draw/growth_layout.h"

#include <algorithm>
#include <cmath>

#include "viewer/draw/growth_strips.h"
#include "viewer/draw/zoom.h"

namespace kv::viewer {

namespace {

constexpr float kTextLine = 21;
constexpr float kUnits[] = {48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1, 0.5f, 0.25f};
constexpr float kThinnestBand = 3;  // thinner ones merge
constexpr float kRoomyFrom = 760;   // window heights at which lanes get their full least height
constexpr float kSmallBelow = 560;  // window heights at which the headline moves closer to the top bar
constexpr float kRulerGap = 4, kRuler = 32;

// How close lanes may stand.
struct Density {
  float least_lane, lane_gap;
};
constexpr Density kDensities[] = {{92, 16}, {62, 16}, {44, 8}};
constexpr Density kDensest = {kTextLine, 4};

// Layers that are drawn apart need a gap; many of them together leave less room for it.
float gap_between(int64_t bands) { return bands <= 8 ? 6 : 2; }

int64_t bands_of(const ModelConfig& config, int64_t layers_per_band) {
  return (config.layers + layers_per_band - 1) / layers_per_band;
}

// Pixels for one stored number of a lane.
double value_height(const LaneShape& lane, const GrowthLayout& layout, int64_t unit_bytes) {
  return static_cast<double>(layout.u) * static_cast<double>(bytes_of(lane.cache_dtype)) /
         static_cast<double>(layout.unit_values * unit_bytes);
}

// The lane that gives the unit: the largest cache a token.
const LaneShape* largest_of(const std::vector<LaneShape>& lanes) {
  const auto bytes = [](const LaneShape& lane) {
    return lane.config->cache_values_per_token() * bytes_of(lane.cache_dtype);
  };
  const auto found =
      std::max_element(lanes.begin(), lanes.end(), [&](const auto& a, const auto& b) { return bytes(a) < bytes(b); });
  return found == lanes.end() ? nullptr : &*found;
}

int64_t head_dim_of(const ModelConfig& config) {
  for (const LayerCache& cache : config.layer_cache)
    if (cache.kind == LayerCache::Kind::per_head) return cache.key_head_dim;
  return std::max<int64_t>(1, config.value_head_dim);
}

// Layers drawn as one, so that no lane has a band under 3 px: a power of two, or all of them.
int64_t layers_per_band(const std::vector<LaneShape>& lanes, const GrowthLayout& layout, int64_t unit_bytes) {
  int64_t most_layers = 1;
  for (const LaneShape& lane : lanes) most_layers = std::max(most_layers, lane.config->layers);
  const auto too_thin = [&](int64_t together) {
    return std::any_of(lanes.begin(), lanes.end(), [&](const LaneShape& lane) {
      const auto values =
          static_cast<double>(values_of_layers(*lane.config, 0, std::min(together, lane.config->layers)));
      return values > 0 && values * value_height(lane, layout, unit_bytes) < static_cast<double>(kThinnestBand) &&
             together < lane.config->layers;
    });
  };
  int64_t together = 1;
  while (together < most_layers && too_thin(together)) together *= 2;
  return std::min(together, most_layers);
}

float height_of(const LaneShape& lane, const GrowthLayout& layout, int64_t unit_bytes) {
  const int64_t bands = bands_of(*lane.config, layout.layers_per_band);
  const double values = static_cast<double>(lane.config->cache_values_per_token());
  return kTextLine + static_cast<float>(values * value_height(lane, layout, unit_bytes)) +
         gap_between(bands) * static_cast<float>(bands - 1);
}

float height_of_all(const std::vector<LaneShape>& lanes, const GrowthLayout& layout, Density density,
                    int64_t unit_bytes) {
  float height = density.lane_gap * static_cast<float>(std::ssize(lanes) - 1);
  for (const LaneShape& lane : lanes) height += std::max(density.least_lane, height_of(lane, layout, unit_bytes));
  return height;
}

// Chooses u, and layers_per_band with it. The density that lets everything fit.
Density choose_scale(const std::vector<LaneShape>& lanes, GrowthLayout& layout, float room, bool roomy,
                     int64_t unit_bytes) {
  const auto fits = [&](float u, Density density) {
    layout.u = u;
    layout.layers_per_band = layers_per_band(lanes, layout, unit_bytes);
    return height_of_all(lanes, layout, density, unit_bytes) <= room;
  };
  for (const Density& density : kDensities) {
    if (&density == &kDensities[0] && !roomy) continue;
    for (const float u : kUnits)
      if (fits(u, density)) return density;
  }
  // Even smaller units; of each the roomiest density that it allows.
  for (float u = 0.125f; u >= 0x1p-12f; u /= 2)
    for (const Density& density : kDensities)
      if ((roomy || &density != &kDensities[0]) && fits(u, density)) return density;
  for (float u = 0.125f; u >= 0x1p-12f; u /= 2)
    if (fits(u, kDensest)) return kDensest;
  return kDensest;
}

void place_bands(LaneLayout& lane, const LaneShape& shape, const GrowthLayout& layout, const Regions& regions,
                 int64_t unit_bytes) {
  const double height = value_height(shape, layout, unit_bytes);
  const float gap = gap_between(bands_of(*shape.config, layout.layers_per_band));
  float y = lane.text_line.bottom;
  for (int64_t layer = 0; layer < shape.config->layers; layer += layout.layers_per_band) {
    Band band{layer, std::min(layout.layers_per_band, shape.config->layers - layer), {}, {}};
    band.strips = strips_of(*shape.config, layer, band.layers, height);
    if (band.strips.empty()) continue;
    band.box = {regions.map.left, y, regions.map.right, y};
    for (Strip& strip : band.strips) {
      const auto strip_height = static_cast<float>(static_cast<double>(strip.values) * height);
      strip.box = {regions.map.left, band.box.bottom, regions.map.right, band.box.bottom + strip_height};
      band.box.bottom = strip.box.bottom;
    }
    y = band.box.bottom + gap;
    lane.bands.push_back(std::move(band));
  }
}

}  // namespace

Rect LaneLayout::bands_box() const {
  if (bands.empty()) return {text_line.left, text_line.bottom, text_line.right, text_line.bottom};
  return {bands.front().box.left, bands.front().box.top, bands.front().box.right, bands.back().box.bottom};
}

GrowthLayout growth_layout_of(const std::vector<LaneShape>& lanes, const Regions& regions, const ViewState& view) {
  GrowthLayout layout;
  layout.axis = {regions.map.left, regions.map.width(), view.axis};
  const float window_height = regions.transport.bottom;
  const bool small = window_height < kSmallBelow;
  const float top = regions.content.top;
  layout.headline = {regions.content.left, top + (small ? 5.f : 12.f), regions.content.right, 0};
  layout.headline.bottom = layout.headline.top + 24;
  layout.sub_line = {regions.content.left, top + (small ? 31.f : 40.f), regions.content.right, 0};
  layout.sub_line.bottom = layout.sub_line.top + 16;
  const float lanes_top = top + (small ? 54.f : 74.f);
  const float room = regions.content.bottom - kRuler - kRulerGap - lanes_top;

  const LaneShape* largest = largest_of(lanes);
  if (!largest) {
    layout.ruler = {regions.content.left, lanes_top + kRulerGap, regions.map.right, lanes_top + kRulerGap + kRuler};
    return layout;
  }
  layout.unit_values = head_dim_of(*largest->config);
  const int64_t unit_bytes = bytes_of(largest->cache_dtype);
  const Density density = choose_scale(lanes, layout, room, window_height >= kRoomyFrom, unit_bytes);
  layout.least_lane = density.least_lane;
  layout.bytes_per_square_pixel = static_cast<double>(layout.unit_values * unit_bytes) /
                                  (static_cast<double>(layout.u) * layout.axis.token_width());

  const float bottom = lanes_top + room;
  float y = lanes_top;
  for (const LaneShape& shape : lanes) {
    const float height = std::max(density.least_lane, height_of(shape, layout, unit_bytes));
    LaneLayout lane;
    if (y + height <= bottom + 0.5f) {
      lane.box = {regions.content.left, y, regions.readouts.right, y + height};
      lane.text_line = {regions.map.left, y, regions.map.right, y + kTextLine};
      lane.names = {regions.names.left, y, regions.names.right, y + height};
      lane.readouts = {regions.readouts.left, y, regions.readouts.right, y + height};
      place_bands(lane, shape, layout, regions, unit_bytes);
      y += height + density.lane_gap;
    }
    layout.lanes.push_back(std::move(lane));
  }
  const float lanes_bottom = y - density.lane_gap;
  layout.ruler = {regions.content.left, lanes_bottom + kRulerGap, regions.map.right, lanes_bottom + kRulerGap + kRuler};

  if (view.zoom) zoom_into(layout, *view.zoom, lanes, {lanes_top, bottom}, regions);
  return layout;
}

}  // namespace kv::viewer
