#include "viewer/draw/growth_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/growth_zoom.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kAbove = 90;  // the lines about bytes and FLOPs
constexpr float kTitle = 9, kRows = 31, kRow = 18, kKeyGap = 4;
constexpr float kMark = 8;
constexpr size_t kLeastRows = 2;

int64_t counted_flops_without_cache(const LaneNumbers& numbers) {
  return static_cast<int64_t>(numbers.ran_without_cache->counted.flops());
}

// The step without the cache: predicted, or counted and timed where it was really run.
std::vector<NumberRow> rows_without_cache(const LaneNumbers& n, NumberKind with_cache) {
  std::vector<NumberRow> rows = {{"writes", bytes_text(0), NumberKind::predicted},
                                 {"reads of cache", bytes_text(0), NumberKind::predicted}};
  if (n.ran_without_cache) {
    const StepWithoutCache& ran = *n.ran_without_cache;
    rows = {{"writes", exact_bytes_text(static_cast<int64_t>(ran.counted.cache_bytes_written)), NumberKind::counted},
            {"reads of cache", bytes_text(static_cast<int64_t>(ran.counted.cache_bytes_read)), NumberKind::counted},
            {"reads of weights", bytes_text(static_cast<int64_t>(ran.counted.weight_bytes)), NumberKind::counted},
            {"computes", flops_text(counted_flops_without_cache(n)), NumberKind::counted}};
    if (ran.time.takes > 0) rows.push_back({"time, measured", seconds_text(ran.time.median), NumberKind::measured});
  } else {
    rows.push_back({"computes", flops_text(n.flops_without_cache), NumberKind::predicted});
  }
  rows.push_back({"with the cache", flops_text(n.flops), with_cache});
  return rows;
}

// Of the marks that the rows have.
void draw_key(Picture& picture, const GrowthScene& scene, const std::vector<NumberRow>& rows, Point at, Rect region,
              const TextMeasure& measure) {
  const std::pair<NumberKind, const char*> kinds[] = {
      {NumberKind::counted, "counted"}, {NumberKind::measured, "measured"}, {NumberKind::predicted, "predicted"}};
  float x = at.x;
  for (const auto& [kind, name] : kinds) {
    const auto has_it = [wanted = kind](const NumberRow& row) { return row.kind == wanted; };
    if (std::none_of(rows.begin(), rows.end(), has_it)) continue;
    draw_mark(picture, kind, {x + kMark / 2, at.y + 8}, scene.palette.faint);
    x = picture.text({x + kMark + 3, at.y}, name, fonts::kSmall, scene.palette.faint, region, measure).right + 6;
  }
}

// What the bars of the lanes mean; on one line, as wide as their column.
void draw_key_to_bars(Picture& picture, const GrowthScene& scene, Point at, Rect region, const TextMeasure& measure) {
  constexpr float kLong = 12, kHigh = 8, kGap = 4, kApart = 10;
  const auto bar = [&](float x) { return Rect{x, at.y + 4, x + kLong, at.y + 4 + kHigh}; };
  picture.rect(bar(at.x), scene.palette.text);
  const char* words = scene.view.cache_on ? "this step" : "this step, with no cache";
  const Rect solid =
      picture.text({at.x + kLong + kGap, at.y}, words, fonts::kSmall, scene.palette.faint, region, measure);
  if (!scene.view.cache_on) return;
  const float x = solid.right + kApart;
  picture.outline(bar(x), scene.palette.faint, 1.5f);
  picture.text({x + kLong + kGap, at.y}, "with no cache", fonts::kSmall, scene.palette.faint, region, measure);
}

}  // namespace

void draw_mark(Picture& picture, NumberKind kind, Point c, Colour colour) {
  const float r = kMark / 2 - 0.5f;
  switch (kind) {
    case NumberKind::counted:
      picture.outline({c.x - r + 0.5f, c.y - r + 0.5f, c.x + r - 0.5f, c.y + r - 0.5f}, colour, 1.3f);
      return;
    case NumberKind::measured: picture.circle(c, r, colour); return;
    case NumberKind::predicted:
      picture.shapes.push_back(
          Polyline{{{c.x - r, c.y + r}, {c.x, c.y - r}, {c.x + r, c.y + r}, {c.x - r, c.y + r}}, colour, 1.3f});
      return;
  }
}

std::vector<NumberRow> step_rows(const GrowthLane& lane, bool cache_on) {
  if (!lane.numbers) return {};
  const LaneNumbers& n = *lane.numbers;
  if (!cache_on) return rows_without_cache(n, lane.view ? NumberKind::counted : NumberKind::predicted);
  const NumberKind kind = lane.view ? NumberKind::counted : NumberKind::predicted;
  std::vector<NumberRow> rows = {
      {"writes", exact_bytes_text(n.cache_bytes_written), kind},
      {"reads of cache", bytes_text(n.cache_bytes_read), kind},
      {"reads of weights", bytes_text(n.weight_bytes), kind},
      n.ran_without_cache ? NumberRow{"with no cache", flops_text(counted_flops_without_cache(n)), NumberKind::counted}
                          : NumberRow{"with no cache", flops_text(n.flops_without_cache), NumberKind::predicted}};
  if (n.time.takes > 0) rows.push_back({"time, measured", seconds_text(n.time.median), NumberKind::measured});
  if (n.predicted_seconds)
    rows.push_back({"time, predicted", seconds_text(*n.predicted_seconds), NumberKind::predicted});
  return rows;
}

int lane_of_step_block(const GrowthScene& scene) {
  if (scene.layout.zoomed >= 0) return scene.layout.zoomed;
  int tallest = 0;
  for (int lane = 1; lane < static_cast<int>(scene.lanes.size()); ++lane)
    if (scene.place(lane).box.height() > scene.place(tallest).box.height() + 0.5f) tallest = lane;
  return tallest;
}

Picture draw_step_block(const GrowthScene& scene, const TextMeasure& measure) {
  Picture picture;
  const GrowthLane& of = scene.lane(scene.selected);
  std::vector<NumberRow> rows = step_rows(of, scene.view.cache_on);
  const Rect lane = scene.place(lane_of_step_block(scene)).readouts;
  const float legend = scene.layout.zoomed >= 0 ? kZoomLegendHeight : 0;
  const Rect place{lane.left, lane.top + kAbove, lane.right, lane.bottom - legend};
  const float room = place.height() - kRows - kKeyGap - fonts::kSmall.size;
  const auto fitting = static_cast<size_t>(std::max(0.f, room / kRow));
  if (rows.empty() || fitting < kLeastRows) return picture;
  if (rows.size() > fitting) rows.resize(fitting);

  const Palette& palette = scene.palette;
  picture.line({place.left, place.top}, {place.right, place.top}, palette.line);
  const bool prompt = scene.view.step <= 0;
  const std::string title = fmt::format("{}, {}", prompt ? "The prompt" : "This step", of.label);
  picture.text({place.left, place.top + kTitle}, shortened(title, fonts::kSubStrong, place.width(), measure),
               fonts::kSubStrong, palette.text, place, measure);
  float y = place.top + kRows;
  for (const NumberRow& row : rows) {
    picture.text({place.left, y}, row.name, fonts::kSmall, palette.soft, place, measure);
    const float number_y = y + (fonts::kSmall.size - fonts::kNumber.size) / 2;
    picture.text({place.right - kMark - 8, number_y}, row.value, fonts::kNumber, palette.text, place, measure,
                 Align::right);
    draw_mark(picture, row.kind, {place.right - kMark / 2, y + 8}, palette.soft);
    y += kRow;
  }
  draw_key(picture, scene, rows, {place.left, y + kKeyGap}, place, measure);
  const float bars = y + kKeyGap + kRow;
  if (bars + fonts::kSmall.size <= place.bottom) draw_key_to_bars(picture, scene, {place.left, bars}, place, measure);
  return picture;
}

}  // namespace kv::viewer
