#include "viewer/draw/start_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "viewer/draw/attention_start.h"
#include "viewer/draw/cache_words.h"
#include "viewer/draw/column.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

// Cores of today share caches of about this size; what a step streams beyond it comes from memory.
constexpr int64_t kFitsProcessorCaches = int64_t{16} << 20;

std::vector<const ModelConfig*> models_of(const RunView& run, const SizeOf* size) {
  std::vector<const ModelConfig*> models;
  if (size)
    for (const ModelConfig& variant : size->variants) models.push_back(&variant);
  else
    for (const LaneView& lane : run.lanes) models.push_back(&lane.config());
  return models;
}

// How many query heads share a key and a value, in the kinds of attention that are on the screen.
std::string how_heads_share(const std::vector<const ModelConfig*>& models) {
  bool mha = false, gqa = false, mqa = false, mla = false;
  std::string text;
  const auto add = [&](bool& told, const char* kind, const std::string& keeps, int64_t heads) {
    if (std::exchange(told, true)) return;
    text += text.empty() ? fmt::format(" {} keeps them {} of its {}", kind, keeps, count_of(heads, "query head"))
                         : fmt::format(", {} {}", kind, keeps);
  };
  for (const ModelConfig* model : models) {
    const int64_t heads = model->heads, sharing = heads / model->kv_heads;
    if (model->has_latent_attention())
      mla = true;
    else if (sharing == 1)
      add(mha, "MHA", "for each", heads);
    else if (model->kv_heads == 1)
      add(mqa, "MQA", "once for all", heads);
    else
      add(gqa, "GQA", fmt::format("once for every {}", sharing), heads);
  }
  if (!text.empty()) text += '.';
  return text + (mla ? " MLA keeps one latent (green) and a small rope key (pink) instead." : "");
}

std::string what_windows_keep(const RunView& run) {
  for (const LaneView& lane : run.lanes)
    if (const int64_t layer = first_windowed_layer(lane.config()); layer >= 0)
      return fmt::format(" A layer with a window of {} looks back at no more, and drops what lies before.",
                         lane.config().layer_cache[static_cast<size_t>(layer)].window);
  return "";
}

std::string what_lanes_show(const RunView& run, const SizeOf* size) {
  const std::string who = run.lanes.size() == 1
                              ? "A model writes on from your prompt."
                              : fmt::format("{} models write on from one prompt, each in its own lane.",
                                            run.lanes.size() == 4 ? "Four" : with_commas(std::ssize(run.lanes)));
  return who +
         " In every layer a new token leaves a key (blue) and a value (orange), which all later tokens look back at: "
         "the KV cache grows by a column." +
         how_heads_share(models_of(run, size)) + (size ? "" : what_windows_keep(run));
}

std::string what_to_try(const RunView& run) {
  const bool bits = std::any_of(run.lanes.begin(), run.lanes.end(),
                                [](const LaneView& lane) { return lane.facts->held_out_bits_per_byte.has_value(); });
  return std::string(
             "Try first: Space plays. Drag in the bars below to go back. Point at a cell to see whose it is, click a "
             "layer to zoom in, press C to take the cache away, or pick another next token and see the text branch. "
             "Prefill is reading the prompt, scan is reading what is stored") +
         (bits ? "; bits/byte tells how well a model predicts unseen text: less is better." : ".");
}

struct Reads {
  int64_t weights = 0, cache = 0;
};

// The most that a step of any of the models that run reads; the cache when it is full.
Reads most_read(const RunView& run) {
  Reads most;
  for (const LaneView& lane : run.lanes) {
    if (lane.steps.empty()) continue;
    most.weights = std::max(most.weights, numbers_of(lane, lane.last_step()).weight_bytes);
    most.cache = std::max(most.cache, lane.config().cache_bytes(lane.facts->capacity, lane.facts->cache_dtype));
  }
  return most;
}

// The honest sentence: what a step reads of these models, and so what its time can show.
std::string what_times_show(const RunView& run) {
  const Reads most = most_read(run);
  if (most.weights == 0) return "Numbers appear as soon as the prompt is read.";
  const std::string reads = fmt::format("A step reads about {} of weights and at most {} of cache",
                                        bytes_text(most.weights), bytes_text(most.cache));
  if (most.weights + most.cache > kFitsProcessorCaches)
    return reads + ", most of it from memory: how long it takes depends on how fast this machine reads.";
  return reads + fmt::format(
                     ", which a processor's own caches hold{}. What size decides in large models, the time to "
                     "read from memory, is only predicted here.",
                     run.lanes.size() > 1 ? ": the lanes' step times hardly differ" : "");
}

// At a size: whose numbers the lanes show, what a step of these models would read, and what the ones that run do.
std::string what_a_size_reads(const RunView& run, const SizeOf& size) {
  const Dtype cache_dtype = run.lanes.front().facts->cache_dtype;
  const int64_t context = size.variants.front().max_context;
  int64_t weights = 0;
  std::vector<int64_t> cache;
  for (const ModelConfig& variant : size.variants) {
    const LaneNumbers numbers = predicted_numbers(variant, 1, context - 1, cache_dtype);
    weights = std::max(weights, numbers.weight_bytes);
    cache.push_back(numbers.cache_bytes_read);
  }
  const auto [least, most] = std::minmax_element(cache.begin(), cache.end());
  const auto read = [&](auto found) {
    return fmt::format("{} ({})", bytes_text(*found), size.labels[static_cast<size_t>(found - cache.begin())]);
  };
  std::string text = fmt::format(
      "The lanes are at the size of {}, predicted: nothing of that size runs here. With its full context of {} stored, "
      "a step "
      "would read up to {} of weights in bf16 and from {} to {} of cache in {}.",
      size.name, count_of(context, "token"), bytes_text(weights), read(least), read(most), name_of(cache_dtype));
  if (const Reads running = most_read(run); running.weights > 0)
    text += fmt::format(" The models that run read about {} and at most {}.", bytes_text(running.weights),
                        bytes_text(running.cache));
  return text;
}

}  // namespace

std::vector<std::string> start_page_paragraphs(const RunView& run, const SizeOf* size) {
  if (run.lanes.empty()) return {"No model is open. Drop a checkpoint's folder or a .gguf file on the window."};
  return {what_lanes_show(run, size), what_to_try(run), size ? what_a_size_reads(run, *size) : what_times_show(run)};
}

namespace {

struct StartPage {
  std::string title;
  std::vector<std::string> paragraphs;
};

StartPage start_page_of(const RunView& run, const ViewState& view) {
  if (view.scene == Scene::attention && !run.lanes.empty())
    return {"What is read?", attention_start_paragraphs(run, view)};
  return {"What grows?", start_page_paragraphs(run, size_shown(view))};
}

// As many whole paragraphs as fit, and a line that says so when not all do.
Picture written(const StartPage& page, Font font, float line_height, Rect region, const Palette& palette,
                const TextMeasure& measure, bool& all) {
  Picture picture;
  Column column(picture, region, measure);
  column.line(page.title, fonts::kTitle, palette.text, 33);
  const float note = 20;
  for (const std::string& paragraph : page.paragraphs) {
    const auto lines = wrapped(paragraph, font, region.width(), measure);
    const bool is_last = &paragraph == &page.paragraphs.back();
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
  const StartPage page = start_page_of(run, view);
  bool all = true;
  Picture picture = written(page, fonts::kBody, 21, region, palette, measure, all);
  return all ? picture : written(page, fonts::kSmall, 18, region, palette, measure, all);
}

}  // namespace kv::viewer
