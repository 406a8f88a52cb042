// TopBar: the program's name, a tab for each scene, the prompt, and which models run.
#pragma once

#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct TopBar {
  Picture picture;
  Rect prompt_box;    // all of it, with its label
  Rect prompt_field;  // for the text alone: its label stands left of it
};
TopBar draw_top_bar(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure);

// "austen-mha, -gqa, -mqa, -mla": names that begin alike up to a hyphen repeat what differs.
std::string model_names(const RunView& run);

}  // namespace kv::viewer
