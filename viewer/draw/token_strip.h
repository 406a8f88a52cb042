// The token strip: what is stored of each token for the head that is looked at, and the tokens' texts below it.
#pragma once

#include <string>

#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

// A token as it stands in tables and sentences: without the blanks in front of a word; "id 17" without a tokenizer.
std::string text_at(const LaneView& lane, int64_t position, const TextMeasure& measure);

// How a column of the strip is drawn.
struct StoredCell {
  bool stored = false;  // filled, shaded by strength
  bool read = false;    // in this step: a bright edge
  double strength = 0;  // RMS of the vector over the largest of the layer; of several columns their mean
};
// `columns`: of the axis; `cache_on` false: nothing is kept from one step to the next, though all is read.
StoredCell stored_cell(const LaneView& lane, const AttentionSubject& subject, const AttentionWeights& weights,
                       const ColumnRun& columns, Role role, bool cache_on);

void draw_stored_rows(Picture& picture, const AttentionScene& scene);
void draw_token_texts(Picture& picture, const AttentionScene& scene);

}  // namespace kv::viewer
