#include "viewer/draw/scrubber.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/shown_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kTop = 14, kHeight = 48;
constexpr float kHighestBar = 44;  // the prompt's block, which is cut, stands above all bars
constexpr float kTwoLines = 46;    // of text in the prompt's block
constexpr float kGapFrom = 3;      // px a token from which bars stand apart
constexpr double kAhead = 0.3;     // strength of what is not reached yet

int64_t prompt_of(const LaneView& lane) { return std::ssize(lane.facts->prompt); }

// The last step that the lane has or may still record.
int64_t furthest_step(const LaneView& lane) {
  if (!lane.stopped.empty()) return lane.last_step();
  return lane.facts->capacity - prompt_of(lane);
}

// A bar's step and its x range.
struct Span {
  int64_t step;
  float left, right;
};
std::vector<Span> spans_of(const TokenAxis& axis, int64_t prompt, int64_t furthest) {
  const auto on_axis = static_cast<int64_t>(std::ceil(axis.tokens)) - prompt;
  const int64_t last = std::min(furthest, on_axis);
  const float right_end = axis.left + axis.width, gap = axis.token_width() >= kGapFrom ? 1.f : 0.f;
  std::vector<Span> spans;
  if (axis.token_width() >= 1) {
    for (int64_t step = 1; step <= last; ++step)
      spans.push_back({step, axis.x_of(prompt + step - 1), std::min(axis.x_of(prompt + step) - gap, right_end)});
    return spans;
  }
  const float end = std::min(axis.x_of(prompt + std::max<int64_t>(last, 0)), right_end);
  for (float x = std::ceil(axis.x_of(prompt)); x < end; x += 1)
    spans.push_back({std::clamp<int64_t>(axis.position_at(x + 0.5f) + 1 - prompt, 1, last), x, std::min(x + 1, end)});
  return spans;
}

void draw_prompt(Picture& picture, const ScrubberBars& bars, int64_t flops, const Palette& palette, Rect region,
                 const TextMeasure& measure) {
  const Rect& box = bars.prompt;
  const Colour block = mix(palette.new_token, palette.panel, 0.5);
  picture.rect(box, block.faded(kAhead));
  if (bars.read > box.left) picture.rect({box.left, box.top, bars.read, box.bottom}, block);
  if (bars.prompt_is_cut) {
    Polyline zigzag{{}, palette.panel, 1.5f};
    for (float x = box.left; x <= box.right; x += 3)
      zigzag.points.push_back({x, box.top + (zigzag.points.size() % 2 == 0 ? 8.f : 5.f)});
    if (zigzag.points.size() > 1) picture.shapes.push_back(std::move(zigzag));
  }
  const Rect inside{box.left, box.top, std::min(box.right, region.right), box.bottom};
  const std::string amount = flops_text(flops);
  if (measure.width(fonts::kSmall, amount) > inside.width() - 4 || inside.width() <= 64) return;
  if (inside.height() < kTwoLines) return;
  picture.text({inside.centre().x, box.top + 13}, "prefill", fonts::kSmall, palette.text, inside, measure,
               Align::centre);
  picture.text({inside.centre().x, box.top + 30}, amount, fonts::kSmall, palette.text, inside, measure, Align::centre);
}

// What a bar is made of, left of the bars. Without the cache a step does for all tokens what it else does for one.
void draw_names_of_parts(Picture& picture, const Rect& box, const Rect& side, bool cache_on, const Palette& palette,
                         const TextMeasure& measure) {
  const auto write = [&](Point at, const char* name, Colour colour, Align align, const char* words) {
    const Rect written = picture.text(at, name, fonts::kSmall, colour, side, measure, align);
    picture.spot(std::string("scrubber/") + name, written, words);
  };
  write({side.left, box.top}, "FLOPs", palette.faint, Align::left,
        "FLOPs: additions and multiplications. A bar is a step of the selected lane.");
  write({side.right, box.top}, "scan", palette.scan_text, Align::right,
        cache_on ? "The scan: a query meets the keys and values of all tokens before it. It grows with the context."
                 : "The scan: every token's query meets the keys and values of all tokens before it.");
  write({side.right, box.top + 30}, cache_on ? "new token" : "all tokens", palette.soft, Align::right,
        cache_on ? "What a step computes for its new token alone. It is the same in every step."
                 : "What a step computes for each token, old or new, since nothing was kept.");
}

void draw_playhead(Picture& picture, float x, const Rect& box, const Palette& palette) {
  picture.line({x, box.top - 4}, {x, box.bottom}, palette.text);
  picture.polygon({{x, box.bottom + 1}, {x + 6, box.bottom + 10}, {x - 6, box.bottom + 10}}, palette.text);
}

}  // namespace

TokenAxis token_axis_of(const ViewState& view, const Regions& regions) {
  return {regions.map.left, regions.map.width(), view.axis};
}

Rect scrubber_box(const Regions& regions) {
  const float top = regions.transport.top + kTop;
  return {regions.map.left, top, regions.map.right, top + kHeight};
}

float playhead_x(const RunView& run, const ViewState& view, const Regions& regions) {
  const TokenAxis axis = token_axis_of(view, regions);
  const int lane = selected_lane(run, view);
  return lane < 0 ? axis.left
                  : axis.x_of(run.lanes[static_cast<size_t>(lane)].context_at(std::max<int64_t>(view.step, 0)));
}

int64_t step_at_x(const RunView& run, const ViewState& view, const Regions& regions, float x) {
  const int lane = selected_lane(run, view);
  if (lane < 0) return 0;
  const TokenAxis axis = token_axis_of(view, regions);
  const auto context = std::llround(static_cast<double>(x - axis.left) / axis.token_width());
  return std::clamp<int64_t>(context - prompt_of(run.lanes[static_cast<size_t>(lane)]), 0,
                             std::max<int64_t>(run.last_step(), 0));
}

ScrubberBars scrubber_bars(const RunView& run, const ViewState& view, const Regions& regions) {
  const TokenAxis axis = token_axis_of(view, regions);
  const Rect box = scrubber_box(regions);
  ScrubberBars bars;
  bars.prompt = {box.left, box.top, box.left, box.bottom};
  bars.read = box.left;
  const int index = selected_lane(run, view);
  if (index < 0) return bars;
  const LaneView& lane = run.lanes[static_cast<size_t>(index)];
  const ModelConfig& config = shown_config(run, view, index);
  const int64_t prompt = prompt_of(lane);
  bars.prompt.right = std::min(axis.x_of(prompt), box.right);
  bars.read = std::min(axis.x_of(std::min(prompt, lane.context_at(0))), box.right);
  const std::vector<Span> spans = spans_of(axis, prompt, furthest_step(lane));
  if (spans.empty()) return bars;
  const int64_t now = shown_step(lane, view);
  std::vector<StepFlops> flops;
  double highest = 1;
  for (const Span& span : spans) {
    flops.push_back(predicted_flops(config, prompt, span.step, view.cache_on));
    highest = std::max(highest, static_cast<double>(flops.back().new_token + flops.back().scan));
  }
  bars.flops_a_pixel = highest / kHighestBar;
  // With a cache the prompt is far more work than any step after it; without, less.
  const StepFlops prefill = predicted_flops(config, prompt, 0, true);
  const double prompt_height = static_cast<double>(prefill.new_token + prefill.scan) / bars.flops_a_pixel;
  bars.prompt_is_cut = prompt_height > static_cast<double>(box.height());
  if (!bars.prompt_is_cut) bars.prompt.top = box.bottom - static_cast<float>(prompt_height);
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto height = [&](int64_t work) {
      return static_cast<float>(static_cast<double>(work) / bars.flops_a_pixel);
    };
    const float middle = box.bottom - height(flops[i].new_token), top = middle - height(flops[i].scan);
    bars.bars.push_back({spans[i].step,
                         {spans[i].left, middle, spans[i].right, box.bottom},
                         {spans[i].left, top, spans[i].right, middle},
                         spans[i].step > now});
  }
  return bars;
}

Picture draw_scrubber(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  const Rect box = scrubber_box(regions);
  const Rect side{regions.names.left, box.top - 4, box.left - 8, box.bottom + 4};
  Picture picture;
  draw_names_of_parts(picture, box, side, view.cache_on, palette, measure);
  picture.line({box.left, box.bottom + 0.5f}, {box.right, box.bottom + 0.5f}, palette.line);
  const int index = selected_lane(run, view);
  if (index < 0) return picture;
  const ScrubberBars bars = scrubber_bars(run, view, regions);
  const auto prompt = prompt_of(run.lanes[static_cast<size_t>(index)]);
  const StepFlops prefill = predicted_flops(shown_config(run, view, index), prompt, 0, true);
  draw_prompt(picture, bars, prefill.new_token + prefill.scan, palette, box, measure);
  if (bars.prompt.width() >= 1)
    picture.spot("scrubber/prefill", bars.prompt,
                 fmt::format("The prefill: all {} of the prompt in one step, {}.{}", count_of(prompt, "token"),
                             flops_text(prefill.new_token + prefill.scan),
                             bars.prompt_is_cut ? " Cut: at the bars' scale it would be higher." : ""));
  for (const StepBar& bar : bars.bars) {
    picture.rect(bar.new_token, palette.new_token.faded(bar.ahead ? kAhead : 1));
    if (bar.scan.height() > 0) picture.rect(bar.scan, palette.scan.faded(bar.ahead ? kAhead : 1));
  }
  // While the playhead is beyond the axis (it grows a moment later) there is nothing to point at.
  const float x = playhead_x(run, view, regions);
  if (x <= box.right + 0.5f) draw_playhead(picture, x, box, palette);
  return picture;
}

}  // namespace kv::viewer
