// Above the lanes: what the picture shows in one sentence, how to read it, what an area stands for, what the colours
// are; and below them the ruler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

// The sentence in parts: the last words stand in the accent's colour. Shorter forms for narrow windows follow.
struct Headline {
  std::string words, last_words;
};
std::vector<Headline> headlines_of(const GrowthScene& scene);

// How to read the maps; shorter forms for narrow windows follow.
std::vector<std::string> sub_lines_of(const GrowthScene& scene);

// "a column is a token, a band is a layer", as the maps are now.
std::string columns_and_bands(const GrowthScene& scene);
// What a point of a zoom stands for, "means of 2 numbers"; empty: one number. Needs a zoom.
std::string means_in_zoom(const GrowthScene& scene);
// Lanes that the window is too low for.
int64_t lanes_without_room(const GrowthScene& scene);

// The square that stands for a round number of bytes, from 13 to 26 px.
struct AreaKey {
  int64_t bytes = 0;  // a power of 4
  float side = 0;
};
AreaKey area_key_of(double bytes_per_square_pixel);

Picture draw_headline(const GrowthScene& scene, const TextMeasure& measure);
Picture draw_ruler(const GrowthScene& scene, const TextMeasure& measure);

}  // namespace kv::viewer
