// FieldText: a prompt as its text field holds it. Dear ImGui's characters have 16 bits as distributions build it, and a
// field of one line drops line feeds; what it would lose stands in it as bytes, written as everywhere on the screen:
// "<F0 9F 98 80>", "<0A>".
#pragma once

#include <string>
#include <string_view>

namespace kv::viewer {

// A text that happens to look like bytes has its first "<" written as "<3C>", so that prompt_of_field gives it back.
std::string field_text(std::string_view prompt);

// The prompt itself. Bytes are read where they are whole characters that a reader may mean: tab, line feed, carriage
// return, "<", and all beyond ASCII. Anything else between "<" and ">" is text: "<10>" stays "<10>".
std::string prompt_of_field(std::string_view text);

}  // namespace kv::viewer
