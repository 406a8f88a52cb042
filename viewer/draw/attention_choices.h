// The line from which lanes and layers are chosen.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/attention_subject.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/picture.h"

namespace kv::viewer {

// Names to choose one from, the chosen one underlined, from `at` to the right: where they end.
struct AttentionChoice {
  std::string id, name, words;
  Action action;
  bool chosen = false;
};
float draw_choices(Picture& picture, const std::vector<AttentionChoice>& choices, Point at, float widest, Rect region,
                   const Palette& palette, const TextMeasure& measure);

// All lanes of the run, and the layers of the chosen one, in `line`.
void draw_lanes_and_layers(Picture& picture, const RunView& run, const AttentionSubject& subject, Rect line,
                           const Palette& palette, const TextMeasure& measure);

}  // namespace kv::viewer
