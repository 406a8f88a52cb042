#include "viewer/draw/token_strip.h"
#include "viewer/draw/attention_columns.h"
#include "viewer/session/kv_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace kv::viewer {

namespace {

// Neighbours of one look are drawn as one edge: begin of the first to end of the last.
struct Stretch {
  bool stored = false, read = false;
  float left = 0, right = 0;
};

void draw_edges(Picture& picture, const std::vector<Stretch>& stretches, const Rect& rows, const Palette& palette) {
  for (const Stretch& stretch : stretches) {
    const Rect box = Rect{stretch.left, rows.top, stretch.right, rows.bottom}.inset(0.5f);
    if (stretch.read)
      picture.outline(box, palette.text, 1);
    else if (!stretch.stored)
      picture.outline(box, palette.faint, 1);
  }
}

}  // namespace

std::string text_at(const LaneView& lane, int64_t position, const TextMeasure& measure) {
  const int32_t id = lane.tokens[static_cast<size_t>(position)];
  const auto& tokenizer = lane.facts->model->tokenizer;
  if (!tokenizer) return fmt::format("id {}", id);
  std::string bytes = tokenizer->token_bytes(id);
  const size_t word = bytes.find_first_not_of(' ');
  if (word == std::string::npos) return bytes.size() == 1 ? "(space)" : fmt::format("({} spaces)", bytes.size());
  bytes.erase(0, word);
  return shown(bytes, measure);
}

StoredCell stored_cell(const LaneView& lane, const AttentionSubject& subject, const AttentionWeights& weights,
                       const ColumnRun& columns, Role role, bool cache_on) {
  StoredCell cell;
  int64_t stored = 0;
  double sum = 0;
  for (int64_t column = columns.first; column < columns.last; ++column) {
    const int64_t position = subject.position_in(column);
    if (position < 0) continue;
    cell.read |= position >= weights.first_seen;
    if (position < subject.first_kept) continue;
    ++stored;
    sum += static_cast<double>(lane.store->rms(subject.layer, role, subject.kv_head(), position));
  }
  const double largest = static_cast<double>(lane.store->largest_rms(subject.layer, role, subject.context));
  cell.stored = stored > 0 && cache_on;
  cell.strength = stored > 0 && largest > 0 ? sum / static_cast<double>(stored) / largest : 0;
  return cell;
}

void draw_stored_rows(Picture& picture, const AttentionScene& scene) {
  const auto& [layout, palette, subject] = std::tie(scene.layout, scene.palette, scene.subject);
  const std::vector<ColumnRun> runs = runs_of_columns(layout.axis, subject.columns());
  const AttentionLayout::StoredRow &first = layout.rows.front(), &last = layout.rows.back();
  std::vector<Stretch> stretches;
  for (const AttentionLayout::StoredRow& row : layout.rows) {
    picture.rect(well_of(row.box, scene), palette.well);
    // A name is higher than a thin row: both stand to their row's middle, apart from each other.
    const float apart = last.box.centre().y - first.box.centre().y;
    const float shift = std::max(0.f, fonts::kSmall.size - apart) / 2 * (&row == &first ? -1.f : 1.f);
    picture.text({scene.names.right, row.box.centre().y - fonts::kSmall.size / 2 + shift}, name_of(row.role),
                 fonts::kSmall, palette.role_text(row.role), scene.names, scene.measure, Align::right);
    for (const ColumnRun& run : runs) {
      const StoredCell cell = stored_cell(scene.lane, subject, scene.weights, run, row.role, scene.view.cache_on);
      const float right = run.right - layout.axis.gap();
      if (cell.stored)
        picture.rect({run.left, row.box.top, right, row.box.bottom}, palette.shade(row.role, cell.strength));
      if (&row != &first || subject.position_in(run.first) < 0) continue;
      const bool joins = !layout.axis.separated() && !stretches.empty() && stretches.back().stored == cell.stored &&
                         stretches.back().read == cell.read && stretches.back().right >= run.left - 0.01f;
      if (joins)
        stretches.back().right = run.right;
      else
        stretches.push_back({cell.stored, cell.read, run.left, right});
    }
  }
  draw_edges(picture, stretches, {first.box.left, first.box.top, first.box.right, last.box.bottom}, palette);
}

void draw_token_texts(Picture& picture, const AttentionScene& scene) {
  const Rect& region = scene.layout.texts;
  if (!scene.layout.staggered || region.height() <= 0) return;
  const TokenAxis& axis = scene.layout.axis;
  const float widest = kTextLines * static_cast<float>(axis.token_width()) - 6;
  const std::vector<ColumnRun> runs = runs_of_columns(axis, scene.subject.columns());
  const auto top_of = [&](const ColumnRun& run) {
    return region.top + 4 + kTextLine * static_cast<float>(run.first % kTextLines);
  };
  for (const ColumnRun& run : runs)
    picture.line({run.left + 0.5f, region.top}, {run.left + 0.5f, top_of(run) + fonts::kSmall.size - 1},
                 scene.palette.line);
  for (const ColumnRun& run : runs) {
    const int64_t position = scene.subject.position_in(run.first);
    if (position < 0) continue;
    const bool newest = position == scene.subject.context - 1, seen = position >= scene.weights.first_seen;
    const Font font = newest ? fonts::kSmallStrong : fonts::kSmall;
    const Colour colour = newest ? scene.palette.text : seen ? scene.palette.soft : scene.palette.faint;
    const float room = std::min(widest, region.right - run.left) - 4, y = top_of(run);
    const std::string text = shortened(text_at(scene.lane, position, scene.measure), font, room, scene.measure);
    // The lines of lower texts pass behind this one.
    picture.rect({run.left + 2, y, run.left + 6 + scene.measure.width(font, text), y + font.size},
                 scene.palette.background);
    const Rect box = picture.text({run.left + 4, y}, text, font, colour, region, scene.measure);
    if (newest) picture.rect({box.left, box.bottom, box.right, box.bottom + 2}, scene.palette.accent);
  }
}

}  // namespace kv::viewer
