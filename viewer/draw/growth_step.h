// The block "This step, MHA" beside the tallest lane: every number of the step of the selected lane with the mark of
// its kind; in a zoom the legend of its colours.
#pragma once

#include "viewer/draw/growth_readouts.h"

namespace kv::viewer {

// The tallest lane, the first of equals; in a zoom the lane that is zoomed into.
int lane_of_step_block(const GrowthScene& scene);

Picture draw_step_block(const GrowthScene& scene, const TextMeasure& measure);

}  // namespace kv::viewer
