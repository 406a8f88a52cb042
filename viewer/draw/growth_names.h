// The names at the left of a lane: its kind, how many KV heads it has and who shares them, how well it predicts; and
// beside the tallest lane what else the maps can show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

// A choice of one of several: the sizes, or the axis of a window.
struct Choice {
  std::string id, title;
  struct Option {
    std::string name, words;
    Action action;
    bool chosen = false;
  };
  std::vector<Option> options;
};
std::vector<Choice> choices_of(const GrowthScene& scene);
// From a size to the models that run, alone.
Choice way_back();

// In the row of the sub-line, its right end at x = right: its width, or 0 when it needs more than `room`.
float width_of_choices(const std::vector<Choice>& choices, const TextMeasure& measure);
Picture draw_choices_in_row(const GrowthScene& scene, const std::vector<Choice>& choices, Point left_top,
                            const TextMeasure& measure);
// Do they fit below the names of the tallest lane?
bool choices_fit_below_names(const GrowthScene& scene, const std::vector<Choice>& choices, const TextMeasure& measure);

Picture draw_names(const GrowthScene& scene, int lane, const TextMeasure& measure);
Picture draw_choices_below_names(const GrowthScene& scene, const std::vector<Choice>& choices,
                                 const TextMeasure& measure);

}  // namespace kv::viewer
