// The text of a lane above its maps: the prompt, what the model wrote, the newest token; and what may come next.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

// The text at a step: of the tokens before it as many as fit, the newest always.
struct TextLine {
  bool elided = false;         // tokens are left out in front
  int64_t first_position = 0;  // of the first token that is shown
  std::string prompt, generated, newest;
};
TextLine text_line_of(const GrowthLane& lane, float width, const TextMeasure& measure);

// The text line with, in the selected lane, the likeliest next tokens behind the newest one.
Picture draw_text_line(const GrowthScene& scene, int lane, const TextMeasure& measure);

// As the screen shows one token: its text, or `id 17` without a tokenizer.
std::string token_text(const LaneView& lane, int32_t token, const TextMeasure& measure);

}  // namespace kv::viewer
