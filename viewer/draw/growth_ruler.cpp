// The ruler below the lanes: token counts, and the current one in bold under the playhead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/growth_fill.h"
#include "viewer/draw/growth_headline.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kTick = 5, kNumbers = 7;
constexpr float kNear = 34;  // a tick's number this near to the current count is left out
constexpr float kBetween = 6;

// Centred at x, within the map.
float left_of(float x, float width, const TokenAxis& axis) {
  return std::clamp(x - width / 2, axis.left, std::max(axis.left, axis.left + axis.width - width));
}

// The column edge under which the current count stands, and its words.
struct Current {
  float x = 0;
  std::string words;
};
std::optional<Current> current_of(const GrowthScene& scene, const TokenAxis& axis) {
  if (scene.lanes.empty()) return std::nullopt;
  const GrowthLane& lane = scene.lane(scene.selected);
  if (lane.context == 0) return std::nullopt;
  if (scene.view.by_slot && lane.has_window()) {
    for (const Band& band : scene.place(scene.selected).bands)
      for (const Strip& strip : band.strips)
        if (strip.window > 0) {
          const int64_t slot = newest_column(lane, strip, true);
          return Current{(axis.x_of(slot) + axis.x_of(slot + 1)) / 2, fmt::format("slot {}", with_commas(slot))};
        }
  }
  return Current{axis.x_of(lane.context), with_commas(lane.context)};
}

void draw_axis(Picture& picture, const GrowthScene& scene, const TokenAxis& axis, const TextMeasure& measure) {
  const Rect place = scene.layout.ruler;
  const Rect region{axis.left, place.top, axis.left + axis.width, place.bottom};
  const float y = place.top + kNumbers;
  const std::optional<Current> current = current_of(scene, axis);
  float current_left = -1e6f, current_right = -1e6f;
  if (current && current->x <= axis.left + axis.width + 0.5f) {
    const float width = measure.width(fonts::kSmallStrong, current->words);
    current_left = left_of(current->x, width, axis);
    current_right = current_left + width;
    picture.text({current_left, y}, current->words, fonts::kSmallStrong, scene.palette.text, region, measure);
    picture.line({current->x, place.top}, {current->x, place.top + kTick}, scene.palette.text);
  }
  picture.line({axis.left, place.top}, {axis.left + axis.width, place.top}, scene.palette.line);
  float free_from = axis.left - kBetween;
  for (const int64_t tick : ticks_of(axis)) {
    const float x = axis.x_of(tick);
    picture.line({x, place.top}, {x, place.top + kTick}, scene.palette.line);
    const std::string number = with_commas(tick);
    const float width = measure.width(fonts::kSmall, number);
    const float left = left_of(x, width, axis);
    const bool near = current && (std::abs(x - current->x) < kNear ||
                                  (left < current_right + kBetween && left + width > current_left - kBetween));
    if (near || left < free_from + kBetween) continue;
    picture.text({left, y}, number, fonts::kSmall, scene.palette.faint, region, measure);
    free_from = left + width;
  }
}

}  // namespace

Picture draw_ruler(const GrowthScene& scene, const TextMeasure& measure) {
  Picture picture;
  const Rect place = scene.layout.ruler;
  const bool slots = scene.view.by_slot && !scene.lanes.empty() && scene.lane(scene.selected).has_window();
  picture.text({scene.layout.axis.left - 8, place.top + kNumbers}, slots ? "slots" : "tokens", fonts::kSmall,
               scene.palette.faint, {place.left, place.top, scene.layout.axis.left, place.bottom}, measure,
               Align::right);
  std::vector<float> drawn;  // left ends of axes
  if (scene.layout.zoomed >= 0)
    for (const Strip& strip : scene.place(scene.layout.zoomed).bands.front().strips) {
      if (std::find(drawn.begin(), drawn.end(), strip.box.left) != drawn.end()) continue;
      drawn.push_back(strip.box.left);
      draw_axis(picture, scene, scene.layout.axis_of(strip), measure);
    }
  if (drawn.empty()) draw_axis(picture, scene, scene.layout.axis, measure);
  return picture;
}

}  // namespace kv::viewer
