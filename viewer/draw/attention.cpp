#include "viewer/draw/attention.h"

#include <algorithm>

#include "viewer/draw/attention_bars.h"
#include "viewer/draw/attention_choices.h"
#include "viewer/draw/attention_columns.h"
#include "viewer/draw/attention_heads.h"
#include "viewer/draw/attention_readouts.h"
#include "viewer/draw/attention_sentences.h"
#include "viewer/draw/attention_text.h"
#include "viewer/draw/token_strip.h"

namespace kv::viewer {

namespace {

// The first headline that fits, and as many of the sentences below it as fit.
void draw_sentences(Picture& picture, const std::vector<AttentionHeadline>& headlines,
                    const std::vector<std::string>& lines, const AttentionLayout& layout, const Palette& palette,
                    const TextMeasure& measure) {
  const Rect& at = layout.headline;
  const auto width = [&](const AttentionHeadline& h) {
    return measure.width(fonts::kTitle, h.begin) + measure.width(fonts::kTitle, h.found);
  };
  const auto fits = [&](const AttentionHeadline& h) { return width(h) <= at.width(); };
  const auto found = std::find_if(headlines.begin(), headlines.end(), fits);
  const AttentionHeadline& headline = found == headlines.end() ? headlines.back() : *found;
  const Rect begin = picture.text({at.left, at.top}, shortened(headline.begin, fonts::kTitle, at.width(), measure),
                                  fonts::kTitle, palette.text, at, measure);
  picture.text({begin.right, at.top}, shortened(headline.found, fonts::kTitle, at.right - begin.right, measure),
               fonts::kTitle, palette.accent_text, at, measure);

  std::string sub_line;
  for (const std::string& line : lines) {
    const std::string longer = sub_line.empty() ? line : sub_line + " " + line;
    if (!sub_line.empty() && measure.width(fonts::kSub, longer) > layout.sub_line.width()) break;
    sub_line = longer;
  }
  picture.text({layout.sub_line.left, layout.sub_line.top},
               shortened(sub_line, fonts::kSub, layout.sub_line.width(), measure), fonts::kSub, palette.soft,
               layout.sub_line, measure);
}

}  // namespace

Picture draw_attention(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure) {
  thread_local AttentionMemory memory;
  return draw_attention(run, view, regions, measure, memory);
}

Picture draw_attention(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure,
                       AttentionMemory& memory) {
  using State = AttentionSubject::State;
  const AttentionSubject subject = attention_subject(run, view);
  const AttentionLayout layout = attention_layout(subject, regions, view);
  const Palette& palette = palette_of(view.theme);
  Picture picture;
  if (subject.state != State::no_lane) draw_lanes_and_layers(picture, run, subject, layout.choices, palette, measure);
  if (subject.state != State::shown) {
    draw_sentences(picture, headlines_without_weights(run, subject), sub_lines_without_weights(run, subject), layout,
                   palette, measure);
    return picture;
  }

  const LaneView& lane = run.lanes[static_cast<size_t>(subject.lane)];
  const AttentionWeights& weights = memory.weights(lane, subject.step, subject.layer, view.form);
  float largest = 0;
  for (int64_t head = 0; head < subject.heads; ++head) largest = std::max(largest, largest_weight(weights, head));
  const AttentionScene scene{lane,
                             view,
                             palette,
                             measure,
                             subject,
                             layout,
                             {regions.names.left, layout.chart.top - 30, layout.axis.left - 7, layout.ruler.bottom},
                             weights,
                             most_read(weights, subject.head, kMostRead),
                             axis_top(largest_weight(weights, subject.head)),
                             axis_top(largest)};
  draw_sentences(picture, attention_headlines(scene), attention_sub_lines(scene), layout, palette, measure);
  draw_pointed_at(picture, scene);
  draw_weight_bars(picture, scene);
  draw_stored_rows(picture, scene);
  draw_token_texts(picture, scene);
  draw_marked_text(picture, scene);
  draw_attention_heads(picture, scene);
  draw_playhead(picture, scene);
  draw_newest_slot(picture, scene);
  draw_ruler(picture, scene);
  draw_attention_readouts(picture, scene, memory);
  add_column_spots(picture, scene);
  return picture;
}

std::optional<Cell> attention_cell_at(const RunView& run, const ViewState& view, const Regions& regions, Point point) {
  const AttentionSubject subject = attention_subject(run, view);
  if (subject.state != AttentionSubject::State::shown) return std::nullopt;
  const AttentionLayout layout = attention_layout(subject, regions, view);
  const int64_t column = layout.axis.position_at(point.x);
  if (column < 0 || column >= subject.columns() || point.x >= layout.chart.right) return std::nullopt;
  const int64_t position = subject.position_in(column);
  if (position < 0) return std::nullopt;
  Cell cell{subject.lane, subject.layer, layout.rows.front().role, subject.kv_head(), position, std::nullopt};
  const auto within = [&](const Rect& box) { return point.y >= box.top && point.y < box.bottom; };
  for (const AttentionLayout::StoredRow& row : layout.rows)
    if (within(row.box)) {
      cell.role = row.role;
      return cell;
    }
  if (within(layout.chart) || (layout.staggered && within(layout.texts))) return cell;
  for (int64_t head = 0; head < subject.heads; ++head)
    if (within(layout.heads[static_cast<size_t>(head)])) {
      cell.head = subject.kv_head_of(head);
      return cell;
    }
  return std::nullopt;
}

}  // namespace kv::viewer
