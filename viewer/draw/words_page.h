// WordsPage: the side panel's third page: all that is shown, in words, and a button that copies them.
#pragma once

#include "viewer/draw/picture.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

Picture draw_words_page(const RunView& run, const ViewState& view, Rect region, const TextMeasure& measure);

}  // namespace kv::viewer
