// What is drawn over the texels of a lane: gaps, lines, the newest column, the prompt's end, and words in the well.
#pragma once

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

// Between columns from 8 px on, and between K and V.
Picture draw_gaps(const GrowthScene& scene, int lane);
// Columns that have just been stored begin white and settle in 250 ms, while it plays. Without the cache that is all.
Picture draw_flash(const GrowthScene& scene, int lane);
// From 8 px a token on an outline, else a line at the right edge.
Picture draw_newest(const GrowthScene& scene, int lane);
// Dotted: to its left the prompt.
Picture draw_prompt_end(const GrowthScene& scene, int lane);
// Outlines of the cells that are pinned and hovered.
Picture draw_marked_cells(const GrowthScene& scene, int lane);
// "K 8 heads" beside what is filled; of a lane that failed, why; of one that has not begun, what starts it.
Picture draw_words_in_well(const GrowthScene& scene, int lane, const TextMeasure& measure);
// The number of each layer at its band's left; of the first lane, and of a zoom.
Picture draw_layer_digits(const GrowthScene& scene, int lane, const TextMeasure& measure);

}  // namespace kv::viewer
