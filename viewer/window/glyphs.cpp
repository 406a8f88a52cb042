#include "viewer/window/glyphs.h"

#include <set>
#include <string>

#include "model/utf8_stream.h"

namespace kv::viewer {

namespace {

constexpr char32_t kMost = 0xFFFF;  // ImWchar has 16 bits as distributions build Dear ImGui

// Latin-1, Latin Extended-A, and of punctuation, arrows and mathematics what labels use.
constexpr ImWchar kAlways[][2] = {{0x20, 0x7E},     {0xA0, 0x17F},    {0x2010, 0x2026}, {0x2032, 0x2033},
                                  {0x2190, 0x2193}, {0x2212, 0x2212}, {0x2248, 0x2248}, {0x2260, 0x2265}};

template <class Each>
void each_character(std::string_view text, Each each) {
  while (!text.empty()) {
    const Utf8Piece piece = first_utf8_piece(text);
    if (piece.kind == Utf8Piece::Kind::character) each(text.substr(0, piece.bytes));
    text.remove_prefix(piece.bytes);
  }
}

}  // namespace

std::vector<ImWchar> glyph_ranges(std::string_view text) {
  std::set<char32_t> wanted;
  for (const auto& [first, last] : kAlways)
    for (char32_t code = first; code <= last; ++code) wanted.insert(code);
  each_character(text, [&](std::string_view character) {
    const char32_t code = code_point_of(character);
    if (code >= 0x20 && code < kMost) wanted.insert(code);
  });

  std::vector<ImWchar> ranges;
  for (const char32_t code : wanted) {
    if (!ranges.empty() && ranges.back() + 1u == code) {
      ranges.back() = static_cast<ImWchar>(code);
    } else {
      ranges.insert(ranges.end(), 2, static_cast<ImWchar>(code));
    }
  }
  ranges.push_back(0);
  return ranges;
}

std::string characters_of(const Tokenizer& tokenizer) {
  std::set<std::string> found;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (!tokenizer.has_token(id)) continue;
    each_character(tokenizer.token_bytes(id), [&](std::string_view character) {
      if (character.size() > 1) found.emplace(character);
    });
  }
  std::string text;
  for (const std::string& character : found) text += character;
  return text;
}

}  // namespace kv::viewer
