// The end of the text itself, marked where the chosen head reads: the marker is the stronger the larger the weight.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

// A token of the text, and where it stands.
struct MarkedToken {
  int64_t position = 0;
  std::string text;  // without the blank before a word
  Rect box;
  double strength = 0;  // of the marker, 0..1: as the head's bars are high
};
// The last tokens that fit into layout.texts, in lines that break between words where they can.
std::vector<MarkedToken> marked_text(const AttentionScene& scene);

// Nothing where the tokens stand under their columns instead.
void draw_marked_text(Picture& picture, const AttentionScene& scene);

}  // namespace kv::viewer
