#include "viewer/draw/cell_place.h"

#include <algorithm>

#include "viewer/draw/attention_layout.h"
#include "viewer/draw/cell_facts.h"
#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

namespace {

std::optional<Rect> across(const TokenAxis& axis, int64_t column, float top, float bottom) {
  const Rect box{axis.x_of(column), top, axis.x_of(column + 1), bottom};
  return column >= 0 && box.left < axis.left + axis.width ? std::optional(box) : std::nullopt;
}

bool shows(const Strip& strip, const Cell& cell) {
  return strip.role == cell.role && cell.layer >= strip.first_layer && cell.layer < strip.first_layer + strip.layers &&
         cell.head >= strip.first_head && cell.head < strip.first_head + strip.heads;
}

// The share of a strip's height at which the cell begins, and how much of it the cell takes: one number of the vector,
// or one vector of those that are drawn as one.
std::optional<Rect> in_strip(const GrowthLayout& layout, const Strip& strip, const Cell& cell, int64_t column) {
  const bool number = layout.zoomed >= 0 && cell.dim.has_value();
  const int64_t parts = layout.zoomed >= 0 ? strip.values : strip.layers * strip.heads;
  const int64_t first = number ? *cell.dim
                        : layout.zoomed >= 0
                            ? 0
                            : (cell.layer - strip.first_layer) * strip.heads + cell.head - strip.first_head;
  const int64_t count = layout.zoomed >= 0 && !number ? parts : 1;
  const float part = strip.box.height() / static_cast<float>(parts);
  const float top = strip.box.top + part * static_cast<float>(first);
  return across(layout.axis_of(strip), column, top, top + part * static_cast<float>(count));
}

std::optional<Rect> in_growth(const Cell& cell, const RunView& run, const ViewState& view, const Regions& regions) {
  const GrowthScene scene = growth_scene_of(run, view, regions);
  if (scene.predicted() || cell.lane < 0 || cell.lane >= std::ssize(scene.layout.lanes)) return std::nullopt;
  const std::optional<CellFacts> facts = facts_of(run, cell, view.step);
  if (!facts) return std::nullopt;
  for (const Band& band : scene.place(cell.lane).bands)
    for (const Strip& strip : band.strips)
      if (shows(strip, cell)) return in_strip(scene.layout, strip, cell, view.by_slot ? facts->slot : cell.position);
  return std::nullopt;
}

std::optional<Rect> in_attention(const Cell& cell, const RunView& run, const ViewState& view, const Regions& regions) {
  const AttentionSubject subject = attention_subject(run, view);
  if (subject.state != AttentionSubject::State::shown || subject.lane != cell.lane) return std::nullopt;
  const AttentionLayout layout = attention_layout(subject, regions, view);
  for (const AttentionLayout::StoredRow& row : layout.rows)
    if (row.role == cell.role)
      return across(layout.axis, subject.column_of(cell.position), row.box.top, row.box.bottom);
  return std::nullopt;
}

}  // namespace

std::optional<Rect> place_of(const Cell& cell, const RunView& run, const ViewState& view, const Regions& regions) {
  return view.scene == Scene::growth ? in_growth(cell, run, view, regions) : in_attention(cell, run, view, regions);
}

}  // namespace kv::viewer
