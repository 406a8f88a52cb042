// What a zoom shows beside its numbers: what the colours mean, and the way back.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

inline constexpr float kZoomLegendHeight = 76;

// What numbers above zero are drawn in, by name.
const char* positive_colour(Theme theme);

// "-1.23", "12.3": the ends of a legend.
std::string value_text(float value);

// Each role's colours from its most negative to its most positive number, at the lower end of the readouts. `scales` of
// each strip: what the ends stand for.
Picture draw_zoom_legend(const GrowthScene& scene, const std::vector<float>& scales, const TextMeasure& measure);

// "Esc folds back" below the lane's name.
Picture draw_zoom_names(const GrowthScene& scene, float y, const TextMeasure& measure);

// Whose numbers the rows are, in the colours of their roles: beside each head's first row, and above K and V that stand
// side by side. Nothing that would meet one of the `names` beside it.
Picture draw_zoom_rows(const GrowthScene& scene, const std::vector<Label>& names, const TextMeasure& measure);

}  // namespace kv::viewer
