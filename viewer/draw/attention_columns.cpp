#include "viewer/draw/attention_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "viewer/draw/token_strip.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kSpot = 6;       // pixels of a place to hover at least
constexpr float kTickRoom = 34;  // no tick is written nearer to the playhead's number
constexpr float kTickGap = 4;

std::string words_of_columns(const AttentionScene& scene, const ColumnRun& run) {
  const AttentionSubject& subject = scene.subject;
  float largest = -1;
  int64_t at = -1;
  for (int64_t column = run.first; column < run.last; ++column)
    if (const int64_t position = subject.position_in(column);
        position >= 0 && scene.weights.at(subject.head, position) > largest) {
      largest = scene.weights.at(subject.head, position);
      at = position;
    }
  if (at < 0) return fmt::format("Slot {} is empty.", run.first);
  const std::string token = text_at(scene.lane, at, scene.measure);
  const std::string slot = subject.by_slot() ? fmt::format(" in slot {}", subject.column_of(at)) : "";
  if (at < scene.weights.first_seen)
    return fmt::format("\"{}\" at position {}{}: outside the window, not read.", token, with_commas(at), slot);
  const std::string weight = weight_text(static_cast<double>(largest));
  if (run.last - run.first == 1)
    return fmt::format("\"{}\" at position {}{} has the weight {}.", token, with_commas(at), slot, weight);
  return fmt::format("Of {} the largest weight, {}, falls on \"{}\" at position {}{}.",
                     count_of(run.last - run.first, "token"), weight, token, with_commas(at), slot);
}

}  // namespace

// The playhead's number is written first, then those of the ticks that have room beside what is written.
void draw_ruler(Picture& picture, const AttentionScene& scene) {
  const TokenAxis& axis = scene.layout.axis;
  const Rect& ruler = scene.layout.ruler;
  const Palette& palette = scene.palette;
  const float y = ruler.top + 8;
  float playhead = -kTickRoom;
  std::vector<Rect> written;
  const auto write = [&](int64_t count, Font font, Colour colour) {
    const std::string text = with_commas(count);
    const float half = scene.measure.width(font, text) / 2;
    const float middle = std::clamp(axis.x_of(count), ruler.left + half, ruler.right - half);
    const Rect box{middle - half - kTickGap, y, middle + half + kTickGap, y + font.size};
    if (std::any_of(written.begin(), written.end(), [&](const Rect& other) { return other.meets(box); })) return;
    written.push_back(box);
    picture.text({middle, y}, text, font, colour, ruler, scene.measure, Align::centre);
  };
  if (!scene.subject.by_slot() && axis.x_of(scene.subject.context) <= ruler.right + 0.5f) {
    playhead = axis.x_of(scene.subject.context);
    write(scene.subject.context, fonts::kSmallStrong, palette.text);
  }
  for (const int64_t tick : ticks_of(axis)) {
    const float x = axis.x_of(tick);
    picture.line({x, ruler.top}, {x, ruler.top + 5}, palette.line);
    if (std::abs(x - playhead) >= kTickRoom) write(tick, fonts::kSmall, palette.faint);
  }
  picture.text({scene.names.right, y}, scene.subject.by_slot() ? "slots" : "tokens", fonts::kSmall, palette.faint,
               scene.names, scene.measure, Align::right);
}

namespace {

// What a column reaches through: all but the text.
std::array<std::pair<float, float>, 2> parts_of(const AttentionLayout& layout) {
  return {{{layout.chart.top, layout.rows.back().box.bottom}, {layout.heads.front().top, layout.heads.back().bottom}}};
}

}  // namespace

// Where the scrubber's playhead stands: behind the newest token's column, of which it covers nothing.
void draw_playhead(Picture& picture, const AttentionScene& scene) {
  const AttentionLayout& layout = scene.layout;
  const float x = layout.axis.x_of(scene.subject.context);
  if (scene.subject.by_slot() || x > layout.chart.right + 0.5f) return;
  constexpr float kWidth = 1.5f;
  for (const auto& [top, bottom] : parts_of(layout))
    picture.line({x + kWidth / 2, top}, {x + kWidth / 2, bottom}, scene.palette.text, kWidth);
}

// By slot: around the slot that was written last.
void draw_newest_slot(Picture& picture, const AttentionScene& scene) {
  if (!scene.subject.by_slot()) return;
  const int64_t slot = scene.subject.column_of(scene.subject.context - 1);
  const TokenAxis& axis = scene.layout.axis;
  const float left = axis.x_of(slot), right = std::max(axis.x_of(slot + 1), left + 2);
  for (const auto& [top, bottom] : parts_of(scene.layout))
    picture.outline({left, top, right, bottom}, scene.palette.accent, 1);
}

Rect well_of(Rect row, const AttentionScene& scene) {
  if (scene.subject.by_slot()) row.right = std::min(row.right, scene.layout.axis.x_of(scene.subject.columns()));
  return row;
}

// The column that the reader points at, or has pinned, in front of nothing but the ground.
void draw_pointed_at(Picture& picture, const AttentionScene& scene) {
  const std::optional<Cell>& cell = scene.view.hovered ? scene.view.hovered : scene.view.pinned;
  if (!cell || cell->lane != scene.subject.lane || cell->position >= scene.subject.context) return;
  const int64_t column = scene.subject.column_of(cell->position);
  if (column < 0) return;
  const AttentionLayout& layout = scene.layout;
  const float left = layout.axis.x_of(column), right = std::max(layout.axis.x_of(column + 1), left + 1);
  if (left >= layout.chart.right) return;
  picture.rect({left, layout.chart.top, right, layout.chart.bottom}, scene.palette.line);
}

// Bars, stored rows and texts of a column are one place; columns narrower than a mouse can aim at stand together.
void add_column_spots(Picture& picture, const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const AttentionLayout& layout = scene.layout;
  for (const ColumnRun& run : runs_of_columns(layout.axis, subject.columns(), kSpot)) {
    const float right = std::min(layout.axis.x_of(run.last), layout.chart.right);
    const Rect box{layout.axis.x_of(run.first), layout.chart.top, right,
                   layout.staggered ? layout.texts.bottom : layout.rows.back().box.bottom};
    if (box.width() <= 0) continue;
    int64_t position = subject.position_in(run.first);
    for (int64_t column = run.first; column < run.last; ++column)
      if (const int64_t p = subject.position_in(column);
          p >= 0 && (position < 0 || scene.weights.at(subject.head, p) > scene.weights.at(subject.head, position)))
        position = p;
    std::optional<Action> inspect;
    if (position >= 0)
      inspect = action::Inspect{
          {subject.lane, subject.layer, layout.rows.front().role, subject.kv_head(), position, std::nullopt}};
    picture.spot(fmt::format("attention.column.{}", run.first), box, words_of_columns(scene, run), inspect);
  }
}

}  // namespace kv::viewer
