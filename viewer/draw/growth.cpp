#include "viewer/draw/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/cache_words.h"
#include "viewer/draw/growth_headline.h"
#include "viewer/draw/growth_map.h"
#include "viewer/draw/growth_names.h"
#include "viewer/draw/growth_readouts.h"
#include "viewer/draw/growth_text.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

std::string words_of_band(const GrowthScene& scene, int lane, const Band& band) {
  const GrowthLane& of = scene.lane(lane);
  int64_t bytes = 0;
  const std::span<const LayerCache> layers = of.config->layer_cache;
  bytes = cache_bytes(layers.subspan(static_cast<size_t>(band.first_layer), static_cast<size_t>(band.layers)),
                      of.context, of.cache_dtype);
  const std::string name = band.layers == 1 ? fmt::format("Layer {} of {}", band.first_layer, of.label)
                                            : fmt::format("Layers {} to {} of {}", band.first_layer,
                                                          band.first_layer + band.layers - 1, of.label);
  const std::string kept = scene.view.cache_on ? bytes_text(bytes) : "nothing, since the cache is off,";
  const int64_t window = layers[static_cast<size_t>(band.first_layer)].window;
  const std::string ring = of.view && window > 0 && scene.view.by_slot && scene.view.cache_on
                               ? fmt::format(" It is {}.", ring_words(*of.view->facts, band.first_layer))
                               : "";
  const std::string more = of.view && scene.layout.zoomed < 0 ? " Choose it to see its numbers." : "";
  return fmt::format("{} keeps {} after {}.{}{}", name, kept, count_of(of.context, "token"), ring, more);
}

void add_band_spots(Picture& picture, const GrowthScene& scene, int lane) {
  const GrowthLane& of = scene.lane(lane);
  for (const Band& band : scene.place(lane).bands) {
    std::optional<Action> zoom;
    if (of.view && scene.layout.zoomed < 0) zoom = action::ZoomInto{lane, band.first_layer};
    picture.spot(fmt::format("band {} {}", lane, band.first_layer), band.box, words_of_band(scene, lane, band), zoom);
  }
}

// In the middle of the gap above a lane.
void draw_rule(Picture& picture, const GrowthScene& scene, int lane) {
  float above = -1;
  for (int i = 0; i < lane; ++i)
    if (scene.place(i).shown()) above = scene.place(i).box.bottom;
  if (above < 0) return;
  const LaneLayout& place = scene.place(lane);
  const float y = std::round((above + place.box.top) / 2);
  picture.line({place.box.left, y}, {place.readouts.right, y}, scene.palette.line);
}

// The number of a strip's vector under a height.
struct VectorAt {
  int64_t layer, head;
  std::optional<int64_t> dim;
};
VectorAt vector_at(const GrowthLayout& layout, const Strip& strip, float y) {
  const double share = static_cast<double>((y - strip.box.top) / strip.box.height());
  if (layout.zoomed >= 0) {
    const auto dim = static_cast<int64_t>(share * static_cast<double>(strip.values));
    return {strip.first_layer, strip.first_head, std::clamp<int64_t>(dim, 0, strip.values - 1)};
  }
  const int64_t vectors = strip.layers * strip.heads;
  const int64_t vector =
      std::clamp<int64_t>(static_cast<int64_t>(share * static_cast<double>(vectors)), 0, vectors - 1);
  return {strip.first_layer + vector / strip.heads, strip.first_head + vector % strip.heads, std::nullopt};
}

}  // namespace

Picture draw_growth(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure,
                    HeatMaps& maps) {
  const GrowthScene scene = growth_scene_of(run, view, regions);
  Picture picture = draw_headline(scene, measure);
  for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane) {
    if (!scene.place(lane).shown()) continue;
    draw_rule(picture, scene, lane);
    picture.add(draw_map(scene, lane, measure, maps));
    picture.add(draw_text_line(scene, lane, measure));
    picture.add(draw_names(scene, lane, measure));
    picture.add(draw_readouts(scene, lane, measure));
    add_band_spots(picture, scene, lane);
  }
  picture.add(draw_ruler(scene, measure));
  return picture;
}

std::optional<Cell> growth_cell_at(const RunView& run, const ViewState& view, const Regions& regions, Point point) {
  const GrowthScene scene = growth_scene_of(run, view, regions);
  if (scene.predicted()) return std::nullopt;
  for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane)
    for (const Band& band : scene.place(lane).bands)
      for (const Strip& strip : band.strips) {
        if (!strip.box.holds(point)) continue;
        const int64_t column = scene.layout.axis_of(strip).position_at(point.x);
        const std::optional<int64_t> position = kept_position(spans_of(scene.lane(lane), strip, view.by_slot), column);
        if (!position) return std::nullopt;
        const VectorAt at = vector_at(scene.layout, strip, point.y);
        return Cell{lane, at.layer, strip.role, at.head, *position, at.dim};
      }
  return std::nullopt;
}

}  // namespace kv::viewer
