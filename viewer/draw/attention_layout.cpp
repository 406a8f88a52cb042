#include "viewer/draw/attention_layout.h"

#include <algorithm>
#include <cmath>

namespace kv::viewer {

namespace {

constexpr float kRuler = 30, kHeadsTitle = 24, kLowerGap = 8;
constexpr float kHighestHead = 17, kLeastChart = 70;

float gap_between_kv_heads(const AttentionSubject& subject) {
  return subject.kv_heads < 2 ? 0 : subject.kv_heads == subject.heads ? 1.f : 5.f;
}

// K and V alike, the latent as thick as both but for its thin rope key, as they are in bytes elsewhere.
void place_rows(AttentionLayout& layout, bool latent, float top, float height) {
  const float right = layout.axis.left + layout.axis.width;
  const float cut = top + std::round(height * (latent ? 0.72f : 0.5f));
  layout.rows = {{latent ? Role::latent : Role::key, {layout.axis.left, top, right, cut}},
                 {latent ? Role::rope_key : Role::value, {layout.axis.left, cut + 1, right, top + height + 1}}};
}

// Rows of one KV head stand together.
void place_heads(AttentionLayout& layout, const AttentionSubject& subject, float top, float bottom) {
  const float heads = static_cast<float>(subject.heads), groups = static_cast<float>(subject.kv_heads);
  const float room = bottom - top;
  const float between = groups < 2 ? 0 : std::min(gap_between_kv_heads(subject), room * 0.2f / (groups - 1));
  const float row = std::min(kHighestHead, (room - between * (groups - 1)) / heads);
  const float left = layout.axis.left, right = left + layout.axis.width;
  for (int64_t head = 0; head < subject.heads; ++head) {
    const float y = top + row * static_cast<float>(head) + between * static_cast<float>(subject.kv_head_of(head));
    layout.heads.push_back({left, y, right, y + (row >= 4 ? row - 1 : row)});
  }
}

}  // namespace

AttentionLayout attention_layout(const AttentionSubject& subject, const Regions& regions, const ViewState& view) {
  const Rect& content = regions.content;
  AttentionLayout layout;
  layout.axis = {regions.map.left, regions.map.width(), view.axis};
  layout.headline = {content.left, content.top + 12, content.right, content.top + 36};
  layout.sub_line = {content.left, content.top + 40, content.right, content.top + 56};
  layout.choices = {content.left, content.top + 64, content.right, content.top + 88};
  const float top = content.top + 114, bottom = content.bottom - kRuler;
  layout.ruler = {regions.map.left, bottom, regions.map.right, content.bottom};
  layout.readouts = {regions.readouts.left, content.top + 96, regions.readouts.right, content.bottom - 4};
  if (subject.heads == 0) {
    layout.chart = {regions.map.left, top, regions.map.right, bottom};
    return layout;
  }

  // From below: heads, texts, stored rows; the bars take the rest.
  const bool low = bottom - top < 300;
  layout.staggered = layout.axis.token_width() >= kTextsFrom;
  const float texts = low ? 0 : layout.staggered ? kTextLines * kTextLine + 6 : kMarkedLines * kMarkedLine + 6;
  const float stored = low ? 18 : 28;
  const float fixed = texts + stored + kHeadsTitle + kLowerGap + 12;
  const float wanted = kHighestHead * static_cast<float>(subject.heads) +
                       gap_between_kv_heads(subject) * static_cast<float>(subject.kv_heads - 1);
  const float room = bottom - top - fixed;
  const float heads = std::min(wanted, std::max(room * 0.45f, std::min(room - kLeastChart, 3.f * 8)));
  const float heads_top = bottom - kLowerGap - heads;
  place_heads(layout, subject, heads_top, bottom - kLowerGap);
  layout.heads_title = {regions.map.left, heads_top - kHeadsTitle + 4, regions.map.right, heads_top - 2};
  const float texts_bottom = layout.heads_title.top - 4;
  layout.texts = {regions.map.left, texts_bottom - texts, regions.map.right, texts_bottom};
  const float rows_top = layout.texts.top - stored - 4;
  place_rows(layout, subject.latent, rows_top, stored);
  layout.chart = {regions.map.left, top, regions.map.right, rows_top - 4};
  return layout;
}

std::vector<ColumnRun> runs_of_columns(const TokenAxis& axis, int64_t count, float least_width) {
  std::vector<ColumnRun> runs;
  const double width = axis.token_width();
  const int64_t shown = std::min(count, static_cast<int64_t>(std::ceil(axis.tokens)));
  if (width >= static_cast<double>(least_width)) {
    for (int64_t column = 0; column < shown; ++column)
      runs.push_back({column, column + 1, axis.x_of(column), axis.x_of(column + 1)});
    return runs;
  }
  // Pixel i holds the columns whose left edge lies in it.
  const auto first_in = [&](int64_t i) {
    return static_cast<int64_t>(std::ceil(static_cast<double>(i) * static_cast<double>(least_width) / width - 1e-9));
  };
  for (int64_t i = 0; first_in(i) < shown; ++i) {
    const float left = axis.left + static_cast<float>(i) * least_width;
    runs.push_back({first_in(i), std::min(first_in(i + 1), shown), left, left + least_width});
  }
  return runs;
}

}  // namespace kv::viewer
