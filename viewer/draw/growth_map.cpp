#include "viewer/draw/growth_map.h"

#include <algorithm>

#include "viewer/draw/growth_marks.h"
#include "viewer/draw/growth_zoom.h"
#include "viewer/draw/zoom.h"

namespace kv::viewer {

namespace {

constexpr double kGhost = 0.35;  // of columns that are computed and not kept
constexpr double kFailedDim = 0.62;

// A part of texels [height rows] that shows a strip's positions.
Rect texels_part(const Image& image, double per_column, const FillSpan& span, double first_row, double rows) {
  const auto width = static_cast<double>(image.texels->width), height = static_cast<double>(image.texels->height);
  const auto x = [&](int64_t position) {
    return static_cast<float>(static_cast<double>(position) / per_column / width);
  };
  return {x(span.position), static_cast<float>(first_row / height), x(span.position + span.count),
          static_cast<float>((first_row + rows) / height)};
}

bool shows_values(const GrowthScene& scene, int lane) { return scene.layout.zoomed == lane; }

// Where the rows of strip `index` begin in the texels, and how many they are.
struct Rows {
  double first = 0, count = 1;
};
Rows rows_in_texels(const GrowthScene& scene, int lane, const std::vector<const Strip*>& strips, size_t index) {
  if (!shows_values(scene, lane)) return {static_cast<double>(index), 1};
  double first = 0;
  for (size_t i = 0; i < index; ++i) first += static_cast<double>(rows_of(*strips[i], scene.layout));
  return {first, static_cast<double>(strips[index]->values) / static_cast<double>(values_per_row(scene.layout))};
}

// Computed once and not stored any more: the outline of what was.
void outline_gone(Picture& picture, const GrowthScene& scene, const Strip& strip, const FillSpan& span) {
  const Rect box = columns_box(scene.layout, strip, span.column, span.count);
  if (box.width() < 2) return;
  picture.outline(box.inset(0.5f), scene.palette.role_text(strip.role).faded(0.75), 1);
}

void draw_strip(Picture& picture, const GrowthScene& scene, int lane, const Strip& strip, const Image* image,
                double per_column, Rows rows) {
  const bool kept_at_all = scene.view.cache_on;
  for (const FillSpan& span : spans_of(scene.lane(lane), strip, scene.view.by_slot)) {
    if (!span.kept) {
      outline_gone(picture, scene, strip, span);
      continue;
    }
    const Rect box = columns_box(scene.layout, strip, span.column, span.count);
    if (image) {
      Image part = *image;
      part.box = box;
      part.part = texels_part(part, per_column, span, rows.first, rows.count);
      part.tint = part.tint.faded(kept_at_all ? 1 : kGhost);
      picture.image(part);
    } else {
      const bool darker = strip.heads == 1 && strip.first_head % 2 == 1;
      const Colour colour = scene.palette.shade(strip.role, darker ? 0.45 : 0.62);
      picture.rect(box, colour.faded(kept_at_all ? 1 : kGhost));
    }
  }
}

// What is reserved: as many slots as the ring or the cache has, as far as the axis reaches.
Rect reserved_box(const GrowthScene& scene, int lane, const Strip& strip) {
  const GrowthLane& of = scene.lane(lane);
  if (!of.view) return strip.box;
  const int64_t slots = scene.view.by_slot ? ring_of(of, strip) : of.view->facts->capacity;
  return columns_box(scene.layout, strip, 0, slots);
}

std::vector<const Strip*> strips_of_lane(const LaneLayout& place) {
  std::vector<const Strip*> strips;
  for (const Band& band : place.bands)
    for (const Strip& strip : band.strips) strips.push_back(&strip);
  return strips;
}

// What a lane's maps show: every number in a zoom, with a legend, else every vector's strength; at a size that does not
// run, nothing.
std::optional<Image> texels_of(const GrowthScene& scene, int lane, const TextMeasure& measure, HeatMaps& maps,
                               Picture& picture) {
  const GrowthLane& of = scene.lane(lane);
  if (!of.view || of.context == 0) return std::nullopt;
  const LaneLayout& place = scene.place(lane);
  const double per_column = tokens_per_column(scene.layout.axis_of(place.bands.front().strips.front()));
  if (shows_values(scene, lane)) {
    const HeatMaps::Values values = maps.values_of(*of.view, lane, place.bands.front(), of.context, per_column,
                                                   values_per_row(scene.layout), scene.palette);
    picture.add(draw_zoom_legend(scene, values.map->scales, measure));
    return values.image;
  }
  return maps.image_of(*of.view, lane, place, of.context, per_column, scene.palette);
}

}  // namespace

Rect columns_box(const GrowthLayout& layout, const Strip& strip, int64_t first, int64_t count) {
  const TokenAxis axis = layout.axis_of(strip);
  return {axis.x_of(first), strip.box.top, std::min(axis.x_of(first + count), strip.box.right), strip.box.bottom};
}

std::vector<Rect> filled_areas(const GrowthScene& scene, int lane, const Strip& strip) {
  std::vector<Rect> areas;
  if (!scene.view.cache_on) return areas;
  for (const FillSpan& span : spans_of(scene.lane(lane), strip, scene.view.by_slot))
    if (span.kept) areas.push_back(columns_box(scene.layout, strip, span.column, span.count));
  return areas;
}

Picture draw_map(const GrowthScene& scene, int lane, const TextMeasure& measure, HeatMaps& maps) {
  Picture picture;
  const LaneLayout& place = scene.place(lane);
  if (place.bands.empty()) return picture;
  const GrowthLane& of = scene.lane(lane);
  for (const Band& band : place.bands)
    for (const Strip& strip : band.strips) picture.rect(reserved_box(scene, lane, strip), scene.palette.well);
  if (of.context > 0) {
    const std::optional<Image> image = texels_of(scene, lane, measure, maps, picture);
    const std::vector<const Strip*> strips = strips_of_lane(place);
    for (size_t i = 0; i < strips.size(); ++i) {
      const double per_column = tokens_per_column(scene.layout.axis_of(*strips[i]));
      draw_strip(picture, scene, lane, *strips[i], image ? &*image : nullptr, per_column,
                 rows_in_texels(scene, lane, strips, i));
    }
    picture.add(draw_gaps(scene, lane));
    picture.add(draw_flash(scene, lane));
  }
  if (of.failed) picture.rect(place.bands_box(), scene.palette.background.faded(kFailedDim));
  if (of.context > 0 && !of.failed) picture.add(draw_newest(scene, lane));
  picture.add(draw_prompt_end(scene, lane));
  picture.add(draw_marked_cells(scene, lane));
  picture.add(draw_words_in_well(scene, lane, measure));
  picture.add(draw_layer_digits(scene, lane, measure));
  return picture;
}

}  // namespace kv::viewer
