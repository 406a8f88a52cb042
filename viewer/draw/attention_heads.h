// All query heads of the layer, a row of weights each, and lines to the keys and values that they share.
#pragma once

#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

// A query head and what it reads.
struct SharingLine {
  int64_t head = 0, kv_head = 0;
  Point from, to;  // the stored K and V, the head's row
};
std::vector<SharingLine> sharing_lines(const AttentionSubject& subject, const AttentionLayout& layout,
                                       const Rect& names);

void draw_attention_heads(Picture& picture, const AttentionScene& scene);

}  // namespace kv::viewer
