#include "viewer/draw/start_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/column.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

// Cores of today share caches of about this size; what a step streams beyond it comes from memory.
constexpr int64_t kFitsProcessorCaches = int64_t{16} << 20;

bool any_latent(const RunView& run) {
  return std::any_of(run.lanes.begin(), run.lanes.end(),
                     [](const LaneView& lane) { return lane.config().has_latent_attention(); });
}

std::string what_lanes_show(const RunView& run) {
  const std::string who = run.lanes.size() == 1
                              ? "A model writes on from your prompt."
                              : fmt::format("{} models write on from one prompt, each in its own lane.",
                                            run.lanes.size() == 4 ? "Four" : with_commas(std::ssize(run.lanes)));
  std::string text =
      who +
      " In every layer a new token leaves a key (blue) and a value (orange), which all later tokens look "
      "back at. That store is the KV cache: each step adds one column.";
  if (any_latent(run)) text += " MLA keeps one latent (green) and a small rope key (pink) instead.";
  return text;
}

// The honest sentence: what a step reads of these models, and so what its time can show.
std::string what_times_show(const RunView& run) {
  int64_t weights = 0, cache = 0;
  for (const LaneView& lane : run.lanes) {
    if (lane.steps.empty()) continue;
    weights = std::max(weights, numbers_of(lane, lane.last_step()).weight_bytes);
    cache = std::max(cache, lane.config().cache_bytes(lane.facts->capacity, lane.facts->cache_dtype));
  }
  if (weights == 0) return "Numbers appear as soon as the prompt is read.";
  const std::string reads =
      fmt::format("A step reads about {} of weights and at most {} of cache", bytes_text(weights), bytes_text(cache));
  if (weights + cache > kFitsProcessorCaches)
    return reads + ", most of it from memory: how long it takes depends on how fast this machine reads.";
  return reads +
         fmt::format(
             ". That is little enough to sit in a processor's own caches{}. What the cache saves is work; what its "
             "size decides in large models, the time to read it, is only predicted here.",
             run.lanes.size() > 1 ? ", so the lanes' step times hardly differ" : "");
}

}  // namespace

std::vector<std::string> start_page_paragraphs(const RunView& run) {
  if (run.lanes.empty()) return {"No model is open. Drop a checkpoint's folder or a .gguf file on the window."};
  return {what_lanes_show(run),
          "Try first: Space plays. Drag in the bars below to go back. Point at a cell to see whose it is, click a "
          "layer to zoom in, press C to take the cache away, or pick another next token and see the text branch.",
          what_times_show(run)};
}

namespace {

// As many whole paragraphs as fit, and a line that says so when not all do.
Picture written(const std::vector<std::string>& paragraphs, Font font, float line_height, Rect region,
                const Palette& palette, const TextMeasure& measure, bool& all) {
  Picture picture;
  Column column(picture, region, measure);
  column.line("What grows?", fonts::kTitle, palette.text, 33);
  const float note = 20;
  for (const std::string& paragraph : paragraphs) {
    const auto lines = wrapped(paragraph, font, region.width(), measure);
    const bool is_last = &paragraph == &paragraphs.back();
    all = column.fits(line_height * static_cast<float>(lines.size()) + (is_last ? 0 : note));
    if (!all) break;
    for (const std::string& line : lines) column.line(line, font, palette.soft, line_height);
    column.skip(12);
  }
  if (!all) column.line("More in a higher window.", fonts::kSmall, palette.faint, note);
  return picture;
}

}  // namespace

Picture draw_start_page(const RunView& run, const ViewState& view, Rect region, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  const std::vector<std::string> paragraphs = start_page_paragraphs(run);
  bool all = true;
  Picture picture = written(paragraphs, fonts::kBody, 21, region, palette, measure, all);
  return all ? picture : written(paragraphs, fonts::kSmall, 18, region, palette, measure, all);
}

}  // namespace kv::viewer
