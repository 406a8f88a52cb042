// What a lane is made of, before anything is recorded; load_lanes is declared with the session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/session/session.h"

namespace kv::viewer {

// A prompt as a model reads it: the tokens of the text; without a tokenizer the text is a list of token ids. Throws
// std::runtime_error or std::invalid_argument that says what is wrong with it.
std::vector<int32_t> prompt_of(const LoadedModel& model, const std::string& text);

}  // namespace kv::viewer
