#include "viewer/draw/hover_tip.h"

#include <algorithm>

#include "viewer/draw/cell_facts.h"
#include "viewer/draw/value_strip.h"

namespace kv::viewer {

namespace {

constexpr float kWidth = 330, kPadding = 10, kLine = 18, kStrip = 12, kApart = 16, kEdge = 6;

// Right of the point and below it; on the other side where the window ends.
Rect placed(Point at, float width, float height, const Rect& room) {
  float left = at.x + kApart, top = at.y + kApart;
  if (left + width > room.right) left = at.x - kApart - width;
  if (top + height > room.bottom) top = at.y - kApart - height;
  left = std::clamp(left, room.left, std::max(room.left, room.right - width));
  top = std::clamp(top, room.top, std::max(room.top, room.bottom - height));
  return {left, top, left + width, top + height};
}

void draw_ground(Picture& picture, const Rect& box, const Palette& palette) {
  picture.rect(box, palette.panel, 6);
  picture.outline(box, palette.soft, 1, 6);
}

}  // namespace

Picture draw_hover_tip(const RunView& run, const ViewState& view, Rect room, Point at, const TextMeasure& measure) {
  Picture picture;
  if (!view.hovered) return picture;
  const std::optional<CellFacts> facts = facts_of(run, *view.hovered, view.step);
  if (!facts) return picture;
  const Palette& palette = palette_of(view.theme);
  std::vector<std::pair<std::string, bool>> lines;  // with whether it is strong
  for (const std::string& sentence : sentences_of(*facts)) {
    const bool strong = lines.empty();
    for (std::string& line : wrapped(shown(sentence, measure), strong ? fonts::kSmallStrong : fonts::kSmall,
                                     kWidth - 2 * kPadding, measure))
      lines.emplace_back(std::move(line), strong);
  }
  const float height = 2 * kPadding + kLine * static_cast<float>(lines.size()) + kStrip + 10;
  const Rect box = placed(at, kWidth, height, room.inset(kEdge));
  draw_ground(picture, box, palette);
  float y = box.top + kPadding;
  for (const auto& [line, strong] : lines) {
    picture.text({box.left + kPadding, y}, line, strong ? fonts::kSmallStrong : fonts::kSmall,
                 strong ? palette.text : palette.soft, box, measure);
    y += kLine;
  }
  picture.add(draw_value_strip(facts->values, facts->dim,
                               {box.left + kPadding, y + 3, box.right - kPadding, y + 3 + kStrip}, palette));
  return picture;
}

Picture draw_told(const ViewState& view, Rect room, const TextMeasure& measure) {
  Picture picture;
  if (!view.told || view.told->words.empty()) return picture;
  const Palette& palette = palette_of(view.theme);
  const std::vector<std::string> lines =
      wrapped(shown(view.told->words, measure), fonts::kSmall, kWidth - 2 * kPadding, measure);
  float widest = 0;
  for (const std::string& line : lines) widest = std::max(widest, measure.width(fonts::kSmall, line));
  const Rect box = placed(view.told->at, widest + 2 * kPadding, 2 * kPadding + kLine * static_cast<float>(lines.size()),
                          room.inset(kEdge));
  draw_ground(picture, box, palette);
  float y = box.top + kPadding;
  for (const std::string& line : lines) {
    picture.text({box.left + kPadding, y}, line, fonts::kSmall, palette.text, box, measure);
    y += kLine;
  }
  return picture;
}

}  // namespace kv::viewer
