// The second scene in words.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Paragraphs: which head is looked at and who shares its keys, what it reads, and for latent attention the two forms.
std::vector<std::string> attention_words(const RunView& run, const ViewState& view);

}  // namespace kv::viewer
