// SmallWindow: what a window shows that has no room for a picture: the same in words.
#pragma once

#include "viewer/draw/frame.h"

namespace kv::viewer {

Frame draw_small_window(const RunView& run, const ViewState& view, const TextMeasure& measure);

}  // namespace kv::viewer
