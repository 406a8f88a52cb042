// Colours in sRGB, and how far two of them are apart for a reader.
#pragma once

#include <cstdint>

namespace kv::viewer {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0, alpha = 255;

  // 0xRRGGBB
  static constexpr Colour of(uint32_t rgb) {
    return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb)};
  }
  // In a texture's memory order: red in the lowest byte.
  constexpr uint32_t rgba() const {
    return static_cast<uint32_t>(red) | static_cast<uint32_t>(green) << 8 | static_cast<uint32_t>(blue) << 16 |
           static_cast<uint32_t>(alpha) << 24;
  }
  // 0..1 of what it covers.
  constexpr Colour faded(double share) const {
    return {red, green, blue, static_cast<uint8_t>(static_cast<double>(alpha) * share + 0.5)};
  }
  bool operator==(const Colour&) const = default;
};

// `share` of `b`, the rest `a`; mixed as the bytes stand.
Colour mix(Colour a, Colour b, double share);

// Relative luminance, 0 (black) to 1 (white) (WCAG 2.1).
double luminance(Colour colour);
// Contrast of two opaque colours, 1..21 (WCAG 2.1, success criterion 1.4.3).
double contrast(Colour a, Colour b);

}  // namespace kv::viewer
