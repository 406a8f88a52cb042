// What the screen shows, in words: complete sentences with the numbers of the same functions, for whoever cannot see
// it, for the clipboard and for scripts.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Paragraphs: what is shown, then lane by lane, then what is pointed at.
std::vector<std::string> paragraphs_of(const RunView& run, const ViewState& view);
// The same as one text, with an empty line between paragraphs and a line feed at the end.
std::string words_of(const RunView& run, const ViewState& view);

}  // namespace kv::viewer
