// The start page beside Attention: what a head does, what the selected model's heads share, what to try.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// A paragraph each. Throws nothing; without a lane there are none.
std::vector<std::string> attention_start_paragraphs(const RunView& run, const ViewState& view);

}  // namespace kv::viewer
