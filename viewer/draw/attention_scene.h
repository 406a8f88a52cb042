// AttentionScene: all that the parts of the second scene are drawn from.
#pragma once

#include "viewer/draw/attention_layout.h"
#include "viewer/draw/attention_ranking.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/picture.h"
#include "viewer/session/attention_view.h"

namespace kv::viewer {

struct AttentionScene {
  const LaneView& lane;
  const ViewState& view;
  const Palette& palette;
  const TextMeasure& measure;
  const AttentionSubject& subject;
  const AttentionLayout& layout;
  Rect names;  // left of the map: numbers of the axis, names of rows
  const AttentionWeights& weights;
  std::vector<ReadToken> most;  // by the chosen head
  double axis_top = 1;          // weight at the upper end of the bars' axis
  double colour_top = 1;        // weight with the brightest colour, one for all heads of the layer
};

}  // namespace kv::viewer
