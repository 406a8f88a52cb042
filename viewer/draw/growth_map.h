// The maps of the growth scene: what each lane has stored, as bands of layers on the token axis.
#pragma once

#include <vector>

#include "viewer/draw/growth_fill.h"
#include "viewer/draw/growth_scene.h"
#include "viewer/draw/heat_map.h"

namespace kv::viewer {

// Where columns first .. first + count of a strip lie.
Rect columns_box(const GrowthLayout& layout, const Strip& strip, int64_t first, int64_t count);

// The areas of a strip that are stored: together bytes / bytes_per_square_pixel. None with the cache off.
std::vector<Rect> filled_areas(const GrowthScene& scene, int lane, const Strip& strip);

// Wells, texels, gaps, the newest column and the prompt's end of one lane, and the digits of its layers.
Picture draw_map(const GrowthScene& scene, int lane, const TextMeasure& measure, HeatMaps& maps);

}  // namespace kv::viewer
