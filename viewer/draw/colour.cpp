#include "viewer/draw/colour.h"

#include <algorithm>
#include <cmath>

namespace kv::viewer {

namespace {

uint8_t between(uint8_t a, uint8_t b, double share) {
  return static_cast<uint8_t>(std::lround(static_cast<double>(a) + share * (static_cast<double>(b) - a)));
}

double linear_light(uint8_t byte) {
  const double value = static_cast<double>(byte) / 255;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

}  // namespace

Colour mix(Colour a, Colour b, double share) {
  share = std::clamp(share, 0.0, 1.0);
  return {between(a.red, b.red, share), between(a.green, b.green, share), between(a.blue, b.blue, share),
          between(a.alpha, b.alpha, share)};
}

double luminance(Colour c) {
  return 0.2126 * linear_light(c.red) + 0.7152 * linear_light(c.green) + 0.0722 * linear_light(c.blue);
}

double contrast(Colour a, Colour b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace kv::viewer
