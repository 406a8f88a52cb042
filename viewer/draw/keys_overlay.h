// What lies in front of everything: the list of keys, a notice of one sentence, and a file that is being opened.
#pragma once

#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"

namespace kv::viewer {

struct KeyLine {
  const char* keys;
  const char* does;
};
// All keys, in the order of the list.
const std::vector<KeyLine>& key_lines();

Picture draw_keys_overlay(const ViewState& view, const Regions& regions, const TextMeasure& measure);
// On one line in `place`, or on two about it.
Picture draw_notice(const ViewState& view, Rect room, const TextMeasure& measure);
Picture draw_opening(const ViewState& view, Rect room, const TextMeasure& measure);

}  // namespace kv::viewer
