// StartPage: the side panel's first page. Beside Growth: what the lanes show, what to try, and what small models cannot
// show; beside Attention see attention_start.h.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/picture.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Beside Growth, a paragraph each. Their numbers are those of the models that run, and where the lanes are restated at
// a size that size's, predicted.
std::vector<std::string> start_page_paragraphs(const RunView& run, const SizeOf* size = nullptr);

Picture draw_start_page(const RunView& run, const ViewState& view, Rect region, const TextMeasure& measure);

}  // namespace kv::viewer
