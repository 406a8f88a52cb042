// WordsPage: the side panel's third page: all that is shown, in words, and a button that copies them.
#pragma once

#include "viewer/draw/scroll.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// With so many pixels of it above the region.
Page draw_words_page(const RunView& run, const ViewState& view, Rect region, float scrolled,
                     const TextMeasure& measure);

// Under the page, whatever part of it is shown.
inline constexpr float kWordsFoot = 26;
Picture draw_words_foot(const ViewState& view, Rect foot, const Scroll& scroll, const TextMeasure& measure);

}  // namespace kv::viewer
