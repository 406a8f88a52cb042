#include "viewer/draw/value_strip.h"

#include <algorithm>
#include <cmath>

namespace kv::viewer {

Picture draw_value_strip(const std::vector<float>& values, std::optional<int64_t> dim, Rect box,
                         const Palette& palette) {
  Picture picture;
  const auto count = std::ssize(values);
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  const int64_t bins = std::min(count, static_cast<int64_t>(box.width()));
  const auto x_of = [&](int64_t bin) {
    return box.left + box.width() * static_cast<float>(bin) / static_cast<float>(bins);
  };
  for (int64_t bin = 0; bin < bins; ++bin) {
    float furthest = 0;
    for (int64_t i = bin * count / bins; i < (bin + 1) * count / bins; ++i)
      if (std::abs(values[static_cast<size_t>(i)]) > std::abs(furthest)) furthest = values[static_cast<size_t>(i)];
    const double share = largest > 0 ? static_cast<double>(furthest / largest) : 0;
    picture.rect({x_of(bin), box.top, x_of(bin + 1), box.bottom}, palette.diverging(share));
  }
  picture.outline(box, palette.line);
  if (dim && *dim >= 0 && *dim < count) {
    const float x = (x_of(*dim * bins / count) + x_of(*dim * bins / count + 1)) / 2;
    picture.polygon({{x, box.bottom + 1}, {x + 4, box.bottom + 7}, {x - 4, box.bottom + 7}}, palette.text);
  }
  return picture;
}

}  // namespace kv::viewer
