#include "viewer/draw/attention_choices.h"

#include <fmt/format.h>

#include <algorithm>

namespace kv::viewer {

namespace {

constexpr float kBetween = 18;  // names
constexpr float kBetweenKinds = 32;
constexpr float kUnderline = 20;  // below the top of a name
constexpr float kWidestLayer = 30, kNumberApart = 5;

void draw_layers(Picture& picture, const AttentionSubject& subject, Rect line, const Palette& palette,
                 const TextMeasure& measure) {
  const Rect word = picture.text({line.left, line.top}, "layer", fonts::kSub, palette.faint, line, measure);
  const float left = word.right + 10;
  const float width = std::min(kWidestLayer, (line.right - left) / static_cast<float>(subject.layers));
  const auto cell = [&](int64_t layer) {
    const float x = left + width * static_cast<float>(layer);
    return Rect{x, line.top, x + width, line.top + kUnderline + 2};
  };
  // The chosen number first, then from the left those that have room beside all that is written.
  std::vector<Rect> written;
  const auto write = [&](int64_t layer, Font font, Colour colour) {
    const std::string text = std::to_string(layer);
    const float half = measure.width(font, text) / 2;
    const float middle = std::clamp(cell(layer).centre().x, left + half, std::max(left + half, line.right - half));
    const Rect box{middle - half - kNumberApart, line.top, middle + half + kNumberApart, line.top + font.size};
    if (std::any_of(written.begin(), written.end(), [&](const Rect& other) { return other.meets(box); })) return;
    written.push_back(box);
    picture.text({middle, line.top}, text, font, colour, line, measure, Align::centre);
  };
  write(subject.layer, fonts::kSubStrong, palette.text);
  for (int64_t layer = 0; layer < subject.layers; ++layer) {
    const Rect box = cell(layer);
    const bool chosen = layer == subject.layer;
    if (!chosen) write(layer, fonts::kSub, palette.soft);
    const float gap = width >= 6 ? 2.f : 0.5f;
    picture.rect({box.left + gap, box.top + kUnderline, box.right - gap, box.top + kUnderline + (chosen ? 2.f : 1.f)},
                 chosen ? palette.text : palette.line);
    picture.spot(fmt::format("attention.layer.{}", layer), box, fmt::format("Look at layer {}.", layer),
                 action::SelectLayer{layer});
  }
}

// In a layer with a window: whether its columns are positions, or slots of its ring.
std::vector<AttentionChoice> orders_of(const AttentionSubject& subject) {
  if (subject.window == 0) return {};
  return {{"attention.order.0", "by position", "Columns are positions: the window moves over them.",
           action::ShowBySlot{false}, !subject.by_slot()},
          {"attention.order.1", "by slot", "Columns are slots: the ring as it lies in memory.",
           action::ShowBySlot{true}, subject.by_slot()}};
}

// At the right end of the line, where they leave the layers half of it. Returns what is left of the line.
Rect draw_orders(Picture& picture, const AttentionSubject& subject, Rect line, const Palette& palette,
                 const TextMeasure& measure) {
  const std::vector<AttentionChoice> orders = orders_of(subject);
  float width = -kBetween;
  for (const AttentionChoice& order : orders) width += measure.width(fonts::kSubStrong, order.name) + kBetween;
  if (orders.empty() || width > line.width() / 2) return line;
  draw_choices(picture, orders, {line.right - width, line.top}, width, line, palette, measure);
  line.right -= width + kBetweenKinds;
  return line;
}

}  // namespace

float draw_choices(Picture& picture, const std::vector<AttentionChoice>& choices, Point at, float widest, Rect region,
                   const Palette& palette, const TextMeasure& measure) {
  for (const AttentionChoice& choice : choices) {
    const Font font = choice.chosen ? fonts::kSubStrong : fonts::kSub;
    const std::string name = shortened(choice.name, font, widest, measure);
    const Rect box = picture.text(at, name, font, choice.chosen ? palette.text : palette.soft, region, measure);
    if (choice.chosen) picture.rect({box.left, at.y + kUnderline, box.right, at.y + kUnderline + 2}, palette.text);
    const Rect spot{std::max(box.left - 4, region.left), at.y - 2, std::min(box.right + 4, region.right),
                    at.y + kUnderline + 2};
    picture.spot(choice.id, spot, choice.words, choice.action);
    at.x = box.right + kBetween;
  }
  return at.x - kBetween;
}

void draw_lanes_and_layers(Picture& picture, const RunView& run, const AttentionSubject& subject, Rect line,
                           const Palette& palette, const TextMeasure& measure) {
  std::vector<AttentionChoice> lanes;
  for (size_t i = 0; i < run.lanes.size(); ++i) {
    const std::string& label = run.lanes[i].facts->label;
    const int lane = static_cast<int>(i);
    lanes.push_back({fmt::format("attention.lane.{}", i), label, fmt::format("Look at the attention of {}.", label),
                     action::SelectLane{lane}, lane == subject.lane});
  }
  // At most half of the line for all lanes together.
  const float widest = line.width() / 2 / static_cast<float>(lanes.size()) - kBetween;
  const float end = draw_choices(picture, lanes, {line.left, line.top}, widest, line, palette, measure);
  const Rect rest =
      draw_orders(picture, subject, {end + kBetweenKinds, line.top, line.right, line.bottom}, palette, measure);
  draw_layers(picture, subject, rest, palette, measure);
}

}  // namespace kv::viewer
