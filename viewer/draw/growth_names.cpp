#include "viewer/draw/growth_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/cache_words.h"
#include "viewer/draw/growth_zoom.h"
#include "viewer/draw/sharing_glyph.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kHeads = 22, kGlyph = 42, kBits = 67, kBlock = 84;  // below the lane's upper edge
constexpr float kSelectedBar = 3, kSelectedGap = 5;

// The largest face in which a name fits, or as much of it as fits in the smallest.
std::pair<std::string, Font> fitting_name(const std::string& name, float width, const TextMeasure& measure) {
  for (const Font font : {fonts::kName, fonts::kBodyStrong, fonts::kSmallStrong})
    if (measure.width(font, name) <= width) return {name, font};
  return {shortened(name, fonts::kSmallStrong, width, measure), fonts::kSmallStrong};
}

}  // namespace

Picture draw_names(const GrowthScene& scene, int lane, const TextMeasure& measure) {
  Picture picture;
  const GrowthLane& of = scene.lane(lane);
  const LaneLayout& place = scene.place(lane);
  const Palette& palette = scene.palette;
  const Rect region{place.names.left, place.names.top - 4, place.names.right, place.names.bottom + 4};
  const float height = place.box.height();
  std::optional<Action> select;
  if (of.runs_as >= 0) select = action::SelectLane{of.runs_as};
  const bool selected = lane == scene.selected;
  if (selected && scene.lanes.size() > 1) {
    const float left = region.left - kSelectedGap - kSelectedBar;
    picture.rect({left, place.box.top, left + kSelectedBar, place.box.top + std::min(height, 37.f)}, palette.text);
  }
  // "layer", or in a zoom "head", stands at the right of the first line of the lane that has digits.
  const bool digits = lane == std::max(0, scene.layout.zoomed);
  const float digits_width = digits ? measure.width(fonts::kSmall, "layer") + 6 : 0;
  const auto [name, font] = fitting_name(of.label, region.width() - digits_width, measure);
  if (place.folded) {
    picture.text({region.left, place.names.top - 1}, shortened(of.label, fonts::kBodyStrong, region.width(), measure),
                 fonts::kBodyStrong, palette.text, region, measure);
    picture.spot(fmt::format("lane {}", lane), place.names,
                 fmt::format("{}: folded while another lane is looked at.", of.label), select);
    return picture;
  }
  picture.text({region.left, place.names.top - 2 + (fonts::kName.size - font.size) / 2}, name, font, palette.text,
               region, measure);
  const auto line = [&](float below, const std::string& text, Colour colour) {
    if (below + fonts::kSmall.size > height + 4) return Rect{};
    return picture.text({region.left, place.names.top + below}, text, fonts::kSmall, colour, region, measure);
  };
  line(kHeads, stored_heads(*of.config), palette.soft);
  if (kGlyph + kGlyphHeight <= height + 4 && scene.layout.least_lane > 60) {
    const Rect box{region.left, place.names.top + kGlyph, region.left + kGlyphWidth,
                   place.names.top + kGlyph + kGlyphHeight};
    picture.add(draw_sharing_glyph(*of.config, box, palette));
  }
  Rect bits;
  if (scene.layout.zoomed == lane)
    picture.add(draw_zoom_names(scene, place.names.top + kBits, measure));
  else if (of.view && of.view->facts->held_out_bits_per_byte)
    bits = line(kBits, fmt::format("{:.2f} bits/byte", *of.view->facts->held_out_bits_per_byte), palette.faint);
  else if (!of.view)
    line(of.config->heads > kMostDots ? kGlyph : kBits, "predicted", palette.faint);

  const float block = scene.layout.zoomed == lane ? kBits : kBlock;
  const std::string kept = scene.view.cache_on ? bytes_text(of.kv_bytes()) : "nothing";
  picture.spot(fmt::format("lane {}", lane),
               {region.left, place.names.top, region.right, std::min(place.names.top + block, place.names.bottom)},
               fmt::format("{} with {} keeps {} after {}.", of.label, stored_heads(*of.config), kept,
                           count_of(of.context, "token")),
               select);
  if (bits.area() > 0)
    picture.spot(fmt::format("bits {}", lane), bits,
                 "Bits that the model needs to predict a byte of text that it was not trained on: less is better.");
  if (scene.layout.zoomed == lane) picture.add(draw_zoom_rows(scene, picture.labels(), measure));
  return picture;
}

}  // namespace kv::viewer
