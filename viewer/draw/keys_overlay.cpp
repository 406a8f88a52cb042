#include "viewer/draw/keys_overlay.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "viewer/draw/column.h"

namespace kv::viewer {

namespace {

constexpr float kMargin = 22, kLine = 23;

Rect window_of(const Regions& regions) {
  return {regions.top_bar.left, regions.top_bar.top, regions.transport.right, regions.transport.bottom};
}

// A box in front, with its edge.
void draw_box(Picture& picture, const Rect& box, const Palette& palette) {
  picture.rect(box, palette.panel, 8);
  picture.outline(box, palette.line, 1, 8);
}

}  // namespace

const std::vector<KeyLine>& key_lines() {
  static const std::vector<KeyLine> lines = {
      {"Space", "play or pause"},
      {"Left, Right", "one step; with Shift ten"},
      {"Home, End", "the prompt's end; the last step"},
      {"Up, Down", "select a lane"},
      {"1, 2", "Growth, Attention"},
      {"+, -", "zoom into a layer, and out"},
      {"0", "fit the token axis to this step"},
      {"C", "the cache on or off"},
      {"L", "light or dark"},
      {"B", "the side panel"},
      {"Page Up, Down", "through the side panel's page"},
      {"F6", "to the next region; Enter goes in, Esc out"},
      {"Ctrl+E", "write a picture of the window"},
      {"Esc", "close, zoom out, or give up"},
      {"F1", "this list"},
  };
  return lines;
}

Picture draw_keys_overlay(const ViewState& view, const Regions& regions, const TextMeasure& measure) {
  Picture picture;
  if (!view.keys) return picture;
  const Palette& palette = palette_of(view.theme);
  const Rect window = window_of(regions);
  picture.rect(window, palette.background.faded(0.72));
  const float height = 60 + kLine * static_cast<float>(key_lines().size()) + kMargin;
  const float width = 470, left = window.centre().x - width / 2, top = window.centre().y - height / 2;
  const Rect box{left, top, left + width, top + height};
  draw_box(picture, box, palette);
  const Rect inside = box.inset(kMargin);
  picture.text({inside.left, inside.top}, "Keys", fonts::kTitle, palette.text, inside, measure);
  float y = inside.top + 38;
  for (const KeyLine& line : key_lines()) {
    picture.text({inside.left, y}, line.keys, fonts::kSmallStrong, palette.text, inside, measure);
    picture.text({inside.left + 110, y}, line.does, fonts::kSmall, palette.soft, inside, measure);
    y += kLine;
  }
  picture.spot("keys", window, "The list of all keys; Esc, F1 or a click closes it", action::ToggleKeys{});
  return picture;
}

Picture draw_notice(const ViewState& view, Rect place, const TextMeasure& measure) {
  Picture picture;
  if (view.notice.empty()) return picture;
  constexpr float kPadding = 12;
  const Palette& palette = palette_of(view.theme);
  const std::string text = shown(view.notice, measure);
  const float width = place.width() - 2 * kPadding;
  std::vector<std::string> lines = wrapped(text, fonts::kSub, width, measure);
  const Font font = lines.size() > 1 ? fonts::kSmall : fonts::kSub;
  const float line_height = font.size + 2;
  if (lines.size() > 1) lines = wrapped(text, font, width, measure);
  if (lines.size() > 2) lines = {lines[0], shortened(lines[1] + " " + lines[2], font, width, measure)};
  const float more = line_height * static_cast<float>(lines.size() - 1) / 2;
  const Rect box{place.left, place.top - more, place.right, place.bottom + more};
  picture.rect(box, palette.panel, 5);
  picture.outline(box, palette.soft, 1, 5);
  float y = place.centre().y - more - font.size / 2;
  for (const std::string& line : lines) {
    picture.text({box.left + kPadding, y}, line, font, palette.text, box, measure);
    y += line_height;
  }
  picture.spot("notice", box, view.notice);
  return picture;
}

Picture draw_opening(const ViewState& view, Rect room, const TextMeasure& measure) {
  Picture picture;
  if (view.opening.empty()) return picture;
  const Palette& palette = palette_of(view.theme);
  constexpr float kHeight = 84;
  const float width = std::min(420.f, room.width() - 24);
  const float left = room.centre().x - width / 2, top = room.centre().y - kHeight / 2;
  const Rect box{left, top, left + width, top + kHeight};
  draw_box(picture, box, palette);
  // Eight dots of which the brightest goes round once a second; with reduced motion all are alike.
  const Point middle{box.left + 42, box.centre().y};
  constexpr int kDots = 8;
  for (int i = 0; i < kDots; ++i) {
    const double turn = static_cast<double>(i) / kDots;
    const double behind = view.opening_seconds - turn - std::floor(view.opening_seconds - turn);
    const auto angle = static_cast<float>(2 * std::numbers::pi * turn);
    picture.circle({middle.x + 13 * std::sin(angle), middle.y - 13 * std::cos(angle)}, 2.5f,
                   palette.text.faded(view.reduced_motion ? 0.6 : 1 - 0.8 * behind));
  }
  const Rect words{box.left + 76, box.top, box.right - 16, box.bottom};
  picture.text({words.left, box.top + 22},
               shortened("Opening " + shown(view.opening, measure), fonts::kBodyStrong, words.width(), measure),
               fonts::kBodyStrong, palette.text, words, measure);
  picture.text({words.left, box.top + 46}, "Esc gives up", fonts::kSmall, palette.soft, words, measure);
  picture.spot("opening", box, "Opening " + view.opening + "; Esc or a click gives up", action::GiveUpOpening{});
  return picture;
}

}  // namespace kv::viewer
