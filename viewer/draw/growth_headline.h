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

// The square that stands for a round number of bytes, from 13 to 26 px.
struct AreaKey {
  int64_t bytes = 0;  // a power of 4
  float side = 0;
};
AreaKey area_key_of(double bytes_per_square_pixel);

Picture draw_headline(const GrowthScene& scene, const TextMeasure& measure);
Picture draw_ruler(const GrowthScene& scene, const TextMeasure& measure);

}  // namespace kv::viewer
