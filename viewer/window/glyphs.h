// Glyphs: which characters the fonts are built with. An atlas with everything that a font has would take seconds.
#pragma once

#include <imgui.h>

#include <string_view>
#include <vector>

#include "model/tokenizer.h"

namespace kv::viewer {

// Dear ImGui's ranges: pairs of first and last, 0 at the end. Latin letters and the signs that this program writes, and
// each character of `text` that 16 bits can hold.
std::vector<ImWchar> glyph_ranges(std::string_view text);

// One text of all whole characters in the tokens of a vocabulary, ASCII left out.
std::string characters_of(const Tokenizer& tokenizer);

}  // namespace kv::viewer
