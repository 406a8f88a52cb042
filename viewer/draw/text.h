// Text: faces, sizes, how wide a text is, and what to do with one that is too wide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv::viewer {

enum class Face { regular, semibold, mono };

// `size` is ascent minus descent, in logical pixels, as Dear ImGui counts.
struct Font {
  Face face = Face::regular;
  float size = 16;
  bool operator==(const Font&) const = default;
};

// The sizes of this program; none has an em under 12 px.
namespace fonts {
inline constexpr Font kTitle{Face::semibold, 24}, kName{Face::semibold, 24}, kBytes{Face::semibold, 30};
inline constexpr Font kBody{Face::regular, 17}, kBodyStrong{Face::semibold, 17};
inline constexpr Font kSub{Face::regular, 15.8f}, kSubStrong{Face::semibold, 15.8f};
inline constexpr Font kSmall{Face::regular, 14.6f}, kSmallStrong{Face::semibold, 14.6f};
inline constexpr Font kNumber{Face::mono, 15.9f};
}  // namespace fonts

// Whoever owns the fonts says how wide a text will be.
class TextMeasure {
 public:
  virtual ~TextMeasure() = default;
  virtual float width(Font font, std::string_view text) const = 0;
  // Can each of its characters be drawn?
  virtual bool can_draw(std::string_view text) const = 0;
};

// Bytes as this program writes them: "<F0 9F 98 80>".
std::string in_hexadecimal(std::string_view bytes);

// A token as the screen shows it: characters that cannot be drawn, and bytes that are none, as <F0 9F 98 80>; a line
// feed as a small mark. `bytes` are the token's own.
std::string shown(std::string_view bytes, const TextMeasure& measure);

// The text itself, or as much of its beginning as fits with "..." behind it.
std::string shortened(std::string_view text, Font font, float width, const TextMeasure& measure);

// Lines no wider than `width`; a word that is wider by itself is cut.
std::vector<std::string> wrapped(std::string_view text, Font font, float width, const TextMeasure& measure);

}  // namespace kv::viewer
