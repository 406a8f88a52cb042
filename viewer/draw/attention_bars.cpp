#include "viewer/draw/attention_bars.h"

#include <algorithm>

namespace kv::viewer {

namespace {

constexpr float kRankGap = 2;
constexpr float kHatchApart = 7;

void draw_axis(Picture& picture, const AttentionScene& scene) {
  const Rect &chart = scene.layout.chart, &names = scene.names;
  const auto write = [&](float y, const std::string& text) {
    picture.text({names.right, y}, text, fonts::kSmall, scene.palette.faint, names, scene.measure, Align::right);
  };
  for (const double tick : axis_ticks(scene.axis_top, chart.height())) {
    const float y = chart.bottom - static_cast<float>(tick / scene.axis_top) * chart.height();
    picture.line({chart.left, y}, {chart.right, y}, scene.palette.line);
    write(tick == 0 ? y - fonts::kSmall.size : y - fonts::kSmall.size / 2, tick_text(tick));
  }
  write(chart.top - 26, "weight");
}

// The ranks of the most read tokens, largest first; one that would touch a bar or another number is left out.
void draw_ranks(Picture& picture, const std::vector<WeightBar>& bars, const AttentionScene& scene) {
  const Rect& chart = scene.layout.chart;
  const Rect region{chart.left, chart.top - 20, chart.right, chart.bottom};
  // The playhead's line is right of the last bar.
  const float end = std::min(region.right, scene.layout.axis.x_of(scene.subject.columns()) - 1);
  std::vector<Rect> taken;
  for (size_t rank = 0; rank < scene.most.size(); ++rank) {
    const int64_t column = scene.subject.column_of(scene.most[rank].position);
    const auto bar = std::find_if(bars.begin(), bars.end(),
                                  [&](const WeightBar& b) { return column >= b.first && column < b.last; });
    if (bar == bars.end() || bar->position != scene.most[rank].position) continue;
    const std::string text = std::to_string(rank + 1);
    const float half = scene.measure.width(fonts::kSmallStrong, text) / 2;
    const float middle = std::clamp(bar->box.centre().x, region.left + half, std::max(region.left + half, end - half));
    const Rect box{middle - half, bar->box.top - kRankGap - fonts::kSmallStrong.size, middle + half,
                   bar->box.top - kRankGap};
    const bool covers_bar =
        std::any_of(bars.begin(), bars.end(), [&](const WeightBar& b) { return &b != &*bar && b.box.meets(box); });
    const bool covers_number = std::any_of(taken.begin(), taken.end(), [&](const Rect& b) { return b.meets(box, -1); });
    if (covers_bar || covers_number) continue;
    taken.push_back(box);
    picture.text({middle, box.top}, text, fonts::kSmallStrong, scene.palette.text, region, scene.measure,
                 Align::centre);
  }
}

}  // namespace

std::vector<WeightBar> weight_bars(const AttentionSubject& subject, const AttentionWeights& weights,
                                   const AttentionLayout& layout, double top) {
  std::vector<WeightBar> bars;
  for (const ColumnRun& run : runs_of_columns(layout.axis, subject.columns())) {
    WeightBar bar{run.first, run.last, -1, 0, false, {}};
    for (int64_t column = run.first; column < run.last; ++column) {
      const int64_t position = subject.position_in(column);
      if (position < weights.first_seen) continue;
      const float weight = weights.at(subject.head, position);
      if (!bar.seen || weight > bar.weight) {
        bar.position = position;
        bar.weight = weight;
      }
      bar.seen = true;
    }
    const float height = static_cast<float>(static_cast<double>(bar.weight) / top) * layout.chart.height();
    bar.box = {run.left, layout.chart.bottom - height, run.right - layout.axis.gap(), layout.chart.bottom};
    bars.push_back(bar);
  }
  return bars;
}

void draw_hatching(Picture& picture, Rect box, Colour colour) {
  if (box.width() <= 0 || box.height() <= 0) return;
  picture.clip(box);
  const float height = box.height();
  for (float x = box.left - height; x < box.right; x += kHatchApart)
    picture.line({x, box.bottom}, {x + height, box.top}, colour);
  picture.clip(std::nullopt);
}

void draw_weight_bars(Picture& picture, const AttentionScene& scene) {
  draw_axis(picture, scene);
  const std::vector<WeightBar> bars = weight_bars(scene.subject, scene.weights, scene.layout, scene.axis_top);
  for (const WeightBar& bar : bars) {
    if (!bar.seen) continue;
    picture.rect(bar.box, scene.palette.weight(colour_place(static_cast<double>(bar.weight), scene.colour_top)));
    // A dark bar on a dark ground, or a pale one on a pale, is seen by its upper edge.
    picture.rect({bar.box.left, bar.box.top - 1, bar.box.right, bar.box.top + 0.5f}, scene.palette.soft);
  }
  draw_ranks(picture, bars, scene);
}

}  // namespace kv::viewer
