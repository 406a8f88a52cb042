// The bars of the chosen head: one for each token, as high as its weight.
#pragma once

#include <vector>

#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

struct WeightBar {
  int64_t first = 0, last = 0;  // columns first .. last - 1
  int64_t position = -1;        // of the largest weight among them
  float weight = 0;             // that weight
  bool seen = false;            // false: outside the window, so there is no weight
  Rect box;                     // no height for a weight of 0
};
// `top` is the weight at the chart's upper edge.
std::vector<WeightBar> weight_bars(const AttentionSubject& subject, const AttentionWeights& weights,
                                   const AttentionLayout& layout, double top);

// With their axis; the most read tokens are numbered 1, 2, ... above their bars, where there is room.
void draw_weight_bars(Picture& picture, const AttentionScene& scene);

// Diagonal lines: what attention does not see.
void draw_hatching(Picture& picture, Rect box, Colour colour);

}  // namespace kv::viewer
