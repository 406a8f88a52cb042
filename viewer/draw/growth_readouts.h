// The numbers at the right of a lane: bytes now, what a token adds, FLOPs with and without the cache; and beside the
// tallest lane all numbers of the step of the selected one, each with the mark of its kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

// How a number came about: an open square, a filled circle, an open triangle.
enum class NumberKind { counted, measured, predicted };
void draw_mark(Picture& picture, NumberKind kind, Point centre, Colour colour);

// The bar of a lane: the outline is the step without the cache, the filled part the step with it. One scale for all.
struct FlopBar {
  Rect outline, filled;
};
FlopBar flop_bar_of(const GrowthScene& scene, int lane, Rect place);

struct NumberRow {
  std::string name, value;
  NumberKind kind;
};
// "This step, MHA": as it ran, or as it would be without the cache.
std::vector<NumberRow> step_rows(const GrowthLane& lane, bool cache_on);

Picture draw_readouts(const GrowthScene& scene, int lane, const TextMeasure& measure);

}  // namespace kv::viewer
