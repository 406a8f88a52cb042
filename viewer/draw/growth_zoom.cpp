#include "viewer/draw/growth_zoom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/zoom.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kRowNameGap = 7;  // left of the map
constexpr float kRole = 36, kBar = 10, kBarBelow = 18;
constexpr int kSteps = 52;  // of a colour bar

void draw_colours(Picture& picture, const Palette& palette, Rect bar) {
  for (int step = 0; step < kSteps; ++step) {
    const double value = 2 * (static_cast<double>(step) + 0.5) / kSteps - 1;
    const float x = bar.left + bar.width() * static_cast<float>(step) / kSteps;
    picture.rect({x, bar.top, x + bar.width() / kSteps, bar.bottom}, palette.diverging(value));
  }
  picture.outline(bar, palette.line);
}

}  // namespace

const char* positive_colour(Theme theme) { return theme == Theme::dark ? "yellow" : "brown"; }

std::string value_text(float value) {
  const float size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 0.1f ? 4 : size < 1 ? 3 : size < 10 ? 2 : 1);
}

Picture draw_zoom_legend(const GrowthScene& scene, const std::vector<float>& scales, const TextMeasure& measure) {
  Picture picture;
  const LaneLayout& lane = scene.place(scene.layout.zoomed);
  const Rect place{lane.readouts.left, lane.readouts.bottom - kZoomLegendHeight + 4, lane.readouts.right,
                   lane.readouts.bottom + 2};
  const std::vector<Strip>& strips = lane.bands.front().strips;
  float y = place.top;
  for (size_t i = 0; i < strips.size(); ++i) {
    if (i > 0 && strips[i].role == strips[i - 1].role) continue;
    const Role role = strips[i].role;
    picture.text({place.left, y}, value_text(-scales[i]), fonts::kSmall, scene.palette.soft, place, measure);
    picture.text({place.centre().x, y}, name_of(role), fonts::kSmallStrong, scene.palette.role_text(role), place,
                 measure, Align::centre);
    picture.text({place.right, y}, value_text(scales[i]), fonts::kSmall, scene.palette.soft, place, measure,
                 Align::right);
    draw_colours(picture, scene.palette, {place.left, y + kBarBelow, place.right, y + kBarBelow + kBar});
    y += kRole;
  }
  return picture;
}

Picture draw_zoom_rows(const GrowthScene& scene, const std::vector<Label>& names, const TextMeasure& measure) {
  Picture picture;
  const LaneLayout& lane = scene.place(scene.layout.zoomed);
  const std::vector<Strip>& strips = lane.bands.front().strips;
  const bool side_by_side = strips.back().box.left > strips.front().box.left;
  const Font font = fonts::kSmall;
  const Rect region{lane.names.left, lane.box.top - 4, lane.text_line.left, lane.box.bottom + 4};
  const float right = region.right - kRowNameGap;
  const auto beside = [&](float y, const std::string& text, Colour colour) {
    const Rect box{right - measure.width(font, text), y, right, y + font.size};
    const bool free = std::none_of(names.begin(), names.end(), [&](const Label& name) {
      return name.box().meets(Rect{box.left - 4, box.top, box.right, box.bottom}, 1);
    });
    if (free && box.bottom <= region.bottom)
      picture.text({right, y}, text, font, colour, region, measure, Align::right);
  };
  bool numbered = false;
  for (size_t i = 0; i < strips.size(); ++i) {
    const Strip& strip = strips[i];
    const bool first = i == 0 || strips[i - 1].role != strip.role;
    const bool several = i + 1 < strips.size() && strips[i + 1].role == strip.role;
    const Colour colour = scene.palette.role_text(strip.role);
    const std::string name(name_of(strip.role));
    if (side_by_side && first) {
      const int64_t heads =
          std::count_if(strips.begin(), strips.end(), [&](const Strip& s) { return s.role == strip.role; });
      const std::string vectors = heads > 1 ? fmt::format(", {} of {}", count_of(heads, "head"), strip.values)
                                            : fmt::format(" of {}", strip.values);
      const Rect half{strip.box.left, strip.box.top - 20, strip.box.right - 4, strip.box.top + 2};
      picture.text({half.left, strip.box.top - 17}, shortened(name + vectors, font, half.width(), measure), font,
                   colour, half, measure);
    }
    if (side_by_side && strip.box.left > strips.front().box.left) continue;  // in the rows of its neighbour
    if (!first && strip.box.height() < font.size) continue;
    const std::string head = first && !several ? "" : std::to_string(strip.first_head);
    numbered = numbered || !head.empty();
    beside(strip.box.top, !first || side_by_side ? head : head.empty() ? name : name + " " + head, colour);
  }
  if (numbered) beside(lane.text_line.top, "head", scene.palette.faint);
  return picture;
}

Picture draw_zoom_names(const GrowthScene& scene, float y, const TextMeasure& measure) {
  Picture picture;
  const LaneLayout& lane = scene.place(scene.layout.zoomed);
  const Rect region{lane.names.left, lane.names.top - 4, lane.names.right, lane.names.bottom + 4};
  const auto line = [&](const std::string& text, Font font, Colour colour) {
    if (y + font.size > region.bottom) return;
    picture.text({region.left, y}, text, font, colour, region, measure);
    y += 18;
  };
  const Band& band = lane.bands.front();
  line(fmt::format("layer {}", band.first_layer), fonts::kSmallStrong, scene.palette.text);
  const int64_t together = values_per_row(scene.layout);
  line(together > 1 ? fmt::format("a row: {} values", together) : "a row: 1 value", fonts::kSmall, scene.palette.soft);
  const float top = y;
  if (top + 18 > region.bottom) return picture;
  line("Esc folds back", fonts::kSmall, scene.palette.faint);
  picture.spot("fold back", {region.left, top, region.right, top + 18}, "Shows all layers of all lanes again.",
               action::ZoomOut{});
  return picture;
}

}  // namespace kv::viewer
