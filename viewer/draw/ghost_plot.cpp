#include "viewer/draw/ghost_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/growth_readouts.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kMargin = 22, kTop = 33, kBottom = 26, kTextWidth = 104;
constexpr float kNumbers = 42;    // left of the axis
constexpr int64_t kSamples = 32;  // points of a line: both bend slowly

double total(const StepFlops& flops) { return static_cast<double>(flops.new_token + flops.scan); }

// A power of ten without its unit, which the title names: "10 M".
std::string tick_text(double flops) {
  std::string text = flops_text(std::llround(flops));
  text.erase(text.rfind("FLOP"));
  return text.ends_with(' ') ? text.substr(0, text.size() - 1) : text;
}

// Of both lines. Where there is no room it says so in fewer words, and then it is the name that is cut.
std::string title_of(const std::string& who, float room, const TextMeasure& measure) {
  const auto width = [&](const std::string& text) { return measure.width(fonts::kSmall, text); };
  const std::string before = "FLOPs of ", brief = ", cache off/on";
  for (const std::string& after : {std::string(", without and with cache"), std::string(", cache off and on"), brief})
    if (width(before + who + after) <= room) return before + who + after;
  return before + shortened(who, fonts::kSmall, room - width(before + brief), measure) + brief;
}

void draw_axes(Picture& picture, const GhostPlot& plot, const Palette& palette, Rect region,
               const TextMeasure& measure) {
  const Rect& box = plot.box;
  picture.line({box.left, box.bottom}, {box.right, box.bottom}, palette.line);
  picture.line({box.left, box.top}, {box.left, box.bottom}, palette.line);
  const float right = box.left - 6;
  picture.text({right, box.top - 4}, tick_text(plot.highest), fonts::kSmall, palette.faint, region, measure,
               Align::right);
  picture.text({right, box.bottom + 2 - fonts::kSmall.size}, tick_text(plot.lowest), fonts::kSmall, palette.faint,
               region, measure, Align::right);
  picture.text({box.right, box.bottom + 3}, count_of(plot.tokens, "token"), fonts::kSmall, palette.faint, region,
               measure, Align::right);
}

}  // namespace

float GhostPlot::y_of(double flops) const {
  const double share = std::log10(std::max(flops, lowest) / lowest) / std::log10(highest / lowest);
  return box.bottom - box.height() * static_cast<float>(std::min(share, 1.0));
}

std::optional<GhostPlot> ghost_plot(const RunView& run, const ViewState& view, const Regions& regions) {
  const int index = selected_lane(run, view);
  if (index < 0 || regions.panel.width() <= 0 || regions.panel_is_drawer) return std::nullopt;
  const LaneView& lane = run.lanes[static_cast<size_t>(index)];
  const int64_t now = shown_step(lane, view);
  if (now < 1) return std::nullopt;  // the prompt is the same work either way
  const ModelConfig& config = shown_config(run, view, index);
  const int64_t prompt = std::ssize(lane.facts->prompt);
  const auto axis_end = static_cast<int64_t>(view.axis);
  const int64_t last = std::max(now, std::min(axis_end, lane.facts->capacity) - prompt);
  const auto flops_at = [&](int64_t step, bool cache) { return total(predicted_flops(config, prompt, step, cache)); };

  GhostPlot plot;
  plot.box = {regions.panel.left + kMargin + kNumbers, regions.transport.top + kTop,
              regions.panel.right - kMargin - kTextWidth, regions.transport.bottom - kBottom};
  plot.lowest = std::pow(10.0, std::floor(std::log10(flops_at(1, true))));
  plot.highest = std::pow(10.0, std::ceil(std::log10(flops_at(last, false))));
  plot.tokens = prompt + last;
  const auto x_of = [&](int64_t context) {
    return plot.box.left + plot.box.width() * static_cast<float>(context) / static_cast<float>(plot.tokens);
  };
  const int64_t samples = std::clamp<int64_t>(last - 1, 1, kSamples);  // no step twice
  for (int64_t i = 0; i <= samples; ++i) {
    const int64_t step = 1 + (last - 1) * i / samples;
    plot.with_cache.push_back({x_of(prompt + step), plot.y_of(flops_at(step, true))});
    plot.without_cache.push_back({x_of(prompt + step), plot.y_of(flops_at(step, false))});
  }
  plot.this_without_cache = {x_of(prompt + now), plot.y_of(flops_at(now, false))};
  plot.this_with_cache = {x_of(prompt + now), plot.y_of(flops_at(now, true))};
  if (!size_shown(view))
    for (const StepWithoutCache& ran : lane.without_cache)
      if (ran.context <= plot.tokens)
        plot.ran.push_back({x_of(ran.context), plot.y_of(static_cast<double>(ran.counted.flops()))});
  return plot;
}

Picture draw_ghost_plot(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure) {
  Picture picture;
  const std::optional<GhostPlot> plot = ghost_plot(run, view, regions);
  if (!plot) return picture;
  const Palette& palette = palette_of(view.theme);
  const int index = selected_lane(run, view);
  const LaneView& lane = run.lanes[static_cast<size_t>(index)];
  const LaneNumbers numbers = *shown_numbers(run, view, index);
  const Rect region{regions.panel.left + kMargin, regions.transport.top + 8, regions.panel.right - 8,
                    regions.transport.bottom};
  const auto write = [&](Point at, const std::string& text, Font font, Colour colour) {
    picture.text(at, shortened(text, font, region.right - at.x, measure), font, colour, region, measure);
  };
  const SizeOf* size = size_shown(view);
  const std::string who = size ? size->name + " " + lane.facts->label : lane.facts->label;
  write({region.left, region.top + 2}, title_of(who, region.width(), measure), fonts::kSmall, palette.soft);
  draw_axes(picture, *plot, palette, region, measure);
  picture.shapes.push_back(Polyline{plot->with_cache, palette.new_token, 1.5f});
  picture.shapes.push_back(Polyline{plot->without_cache, palette.scan, 1.5f});
  for (const Point& ran : plot->ran) picture.circle(ran, 2.5f, palette.text);
  draw_mark(picture, NumberKind::predicted, plot->this_without_cache, palette.text);
  draw_mark(picture, size ? NumberKind::predicted : NumberKind::counted, plot->this_with_cache, palette.text);

  const float x = plot->box.right + 12;
  write({x, plot->box.top - 6}, flops_text(numbers.flops_without_cache), fonts::kSmallStrong, palette.text);
  write({x, plot->box.top + 11}, "predicted", fonts::kSmall, palette.soft);
  if (!plot->ran.empty()) {
    const StepWithoutCache& last = lane.without_cache[plot->ran.size() - 1];
    write({x, plot->box.top + 29}, "run at " + with_commas(last.context), fonts::kSmall, palette.soft);
    write({x, plot->box.top + 45}, "in " + seconds_text(last.time.median), fonts::kSmall, palette.soft);
  }
  picture.spot("ghost plot", region,
               fmt::format("FLOPs of each step of {}: without the cache above, with it below, from {} to {} on a "
                           "logarithmic axis, up to {}. This step is predicted without the cache and {} with it{}.",
                           who, flops_text(std::llround(plot->lowest)), flops_text(std::llround(plot->highest)),
                           count_of(plot->tokens, "token"), size ? "predicted" : "counted",
                           plot->ran.empty() ? "" : "; dots were really run"));
  return picture;
}

}  // namespace kv::viewer
