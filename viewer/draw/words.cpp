#include "viewer/draw/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/attention_words.h"
#include "viewer/draw/cache_words.h"
#include "viewer/draw/cell_facts.h"
#include "viewer/draw/growth_headline.h"
#include "viewer/draw/growth_zoom.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string at_end(std::string sentence) {
  if (!sentence.empty() && sentence.back() != '.') sentence += '.';
  return sentence;
}

double as_double(int64_t number) { return static_cast<double>(number); }

// --- What all lanes show ---

std::string what_runs(const RunView& run) {
  if (run.lanes.empty()) return "No model is open.";
  std::string names;
  for (const LaneView& lane : run.lanes)
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", lane.facts->label, lane.facts->name);
  return fmt::format("{} {} the prompt \"{}\": {}.", count_of(std::ssize(run.lanes), "model"),
                     run.lanes.size() == 1 ? "continues" : "continue", run.prompt, names);
}

std::string where_the_playhead_is(const RunView& run, const ViewState& view) {
  if (run.lanes.empty()) return "";
  if (run.last_step() < 0) return "No step is recorded yet.";
  return fmt::format("The playhead is at step {} of {} recorded{}.", with_commas(std::min(view.step, run.last_step())),
                     with_commas(run.last_step()), view.playing ? " and plays" : "");
}

std::string who_is_selected(const GrowthScene& scene) {
  return scene.lanes.size() < 2 ? "" : scene.lane(scene.selected).label + " is selected.";
}

// The headline: who keeps the most, who the least, and how often one goes into the other.
std::string who_keeps_least(const GrowthScene& scene) {
  struct Kept {
    std::string label;
    LaneNumbers numbers;
  };
  std::vector<Kept> kept;
  for (const GrowthLane& lane : scene.lanes)
    if (lane.numbers) kept.push_back({lane.label, *lane.numbers});
  if (kept.empty()) return "";
  const auto less = [](const Kept& a, const Kept& b) { return a.numbers.kv_bytes < b.numbers.kv_bytes; };
  const Kept& least = *std::min_element(kept.begin(), kept.end(), less);
  const Kept& most = *std::max_element(kept.begin(), kept.end(), less);
  const char* keeps = !scene.predicted() && scene.view.cache_on ? "keeps" : "would keep";
  std::string text = fmt::format("After {}, {} {} {}", count_of(most.numbers.context, "token"), most.label, keeps,
                                 bytes_text(most.numbers.kv_bytes));
  if (most.numbers.kv_bytes == least.numbers.kv_bytes) return text + ".";
  // Lanes that ended earlier have fewer tokens; bytes of different contexts are not compared.
  if (most.numbers.context != least.numbers.context)
    return fmt::format("{}; {} {} after {}.", text, least.label, bytes_text(least.numbers.kv_bytes),
                       count_of(least.numbers.context, "token"));
  return fmt::format("{}. {} {} {}: {} times less.", text, least.label, keeps, bytes_text(least.numbers.kv_bytes),
                     times_text(as_double(most.numbers.kv_bytes), as_double(least.numbers.kv_bytes)));
}

std::string how_it_is_looked_at(const GrowthScene& scene) {
  const ViewState& view = scene.view;
  std::vector<std::string> sentences;
  if (const SizeOf* size = size_shown(view))
    sentences.push_back(fmt::format(
        "All numbers are restated at the size of {} and predicted: nothing of that size runs here.", size->name));
  if (!view.cache_on)
    sentences.push_back(
        "The cache is off: every step computes keys and values of all tokens anew, and what that takes is predicted.");
  const bool window =
      std::any_of(scene.lanes.begin(), scene.lanes.end(), [](const GrowthLane& lane) { return lane.has_window(); });
  if (view.by_slot && window)
    sentences.push_back("Columns are slots of the cache as it lies in memory, so a window's ring wraps.");
  else if (!scene.lanes.empty() && scene.layout.zoomed < 0)
    sentences.push_back(fmt::format("In the maps {}.", columns_and_bands(scene)));
  if (const int64_t hidden = lanes_without_room(scene); hidden > 0 && scene.layout.zoomed < 0)
    sentences.push_back(fmt::format("The window is too low to show {} more.", count_of(hidden, "lane")));
  return joined(sentences);
}

// --- A lane ---

std::string shape_of(const GrowthScene& scene, int index) {
  const GrowthLane& lane = scene.lane(index);
  const ModelConfig& config = *lane.config;
  std::string stores = stored_vectors(config) + (config.has_latent_attention() ? " for all of them" : "");
  if (const int64_t layer = first_windowed_layer(config); layer >= 0) {
    const int64_t window = config.layer_cache[static_cast<size_t>(layer)].window;
    const auto layers = std::count_if(config.layer_cache.begin(), config.layer_cache.end(),
                                      [&](const LayerCache& cache) { return cache.window == window; });
    stores += fmt::format(", a window of {}", count_of(window, "token"));
    if (layers < config.layers) stores += fmt::format(" in {} of the layers", layers);
  }
  const std::string who = lane.view ? lane.view->facts->name
                                    : size_shown(scene.view)->origin_of(static_cast<size_t>(index)) + ", predicted";
  return fmt::format("{}, {}: {}, {}, {}.", lane.label, who, count_of(config.layers, "layer"),
                     count_of(config.heads, "query head"), stores);
}

// What is no longer stored, and the ring that holds the rest.
std::string what_the_window_does(const LaneView& lane, int64_t context, const ViewState& view) {
  const int64_t layer = first_windowed_layer(lane.config());
  if (layer < 0 || !view.cache_on) return "";
  const int64_t gone = context - lane.config().layer_cache[static_cast<size_t>(layer)].window;
  std::string text = fmt::format("In memory the window is {}.", ring_words(*lane.facts, layer));
  if (gone > 0 && view.by_slot) text += " Slots that it no longer needs are outlined.";
  if (gone > 0 && !view.by_slot)
    text += fmt::format(" The {} before it {} outlined: computed once, no longer stored.", count_of(gone, "token"),
                        gone == 1 ? "is" : "are");
  return text;
}

std::string what_it_keeps(const LaneNumbers& numbers, const ViewState& view) {
  if (!view.cache_on)
    return fmt::format("It keeps nothing; with the cache it would keep {} for {}.", bytes_text(numbers.kv_bytes),
                       count_of(numbers.context, "token"));
  const std::string share = numbers.ratio_to_mha == 1
                                ? "as much as with one K and V for every query head"
                                : share_text(numbers.ratio_to_mha, 1) + " of one K and V for every query head";
  const std::string adds = numbers.token_bytes > 0
                               ? fmt::format("the newest token added {}", exact_bytes_text(numbers.token_bytes))
                               : std::string("the newest token added nothing, since it took the place of an old one");
  return fmt::format("It {} {} for {}, {}; {}.", size_shown(view) ? "would keep" : "keeps",
                     bytes_text(numbers.kv_bytes), count_of(numbers.context, "token"), share, adds);
}

std::string what_the_step_took(const LaneNumbers& numbers, int64_t step, const ViewState& view) {
  if (!view.cache_on && step > 0)
    return fmt::format("The step takes {} (predicted) to compute all {} anew; with the cache it takes {}, {} of that.",
                       flops_text(numbers.flops_without_cache), count_of(numbers.context, "token"),
                       flops_text(numbers.flops),
                       share_text(as_double(numbers.flops), as_double(numbers.flops_without_cache)));
  const char* origin = size_shown(view) ? "predicted" : "counted";
  std::string text = fmt::format(
      "{} {} {} ({}): {} for the new {}, {} ({}) to read the old ones; it reads {} of cache and {} of weights and "
      "writes {}.",
      step == 0 ? "Reading the prompt" : "The step", size_shown(view) ? "would take" : "took",
      flops_text(numbers.flops), origin, flops_text(numbers.new_token_flops), step == 0 ? "tokens" : "token",
      flops_text(numbers.scan_flops), percent_text(as_double(numbers.scan_flops), as_double(numbers.flops)),
      bytes_text(numbers.cache_bytes_read), bytes_text(numbers.weight_bytes), bytes_text(numbers.cache_bytes_written));
  if (step > 0)
    text += fmt::format(" Without the cache it would take {} (predicted), of which it is {}.",
                        flops_text(numbers.flops_without_cache),
                        share_text(as_double(numbers.flops), as_double(numbers.flops_without_cache)));
  return text;
}

std::string how_long_it_took(const LaneNumbers& numbers) {
  std::vector<std::string> parts;
  if (numbers.time.takes > 0)
    parts.push_back(fmt::format("{} (measured, {})", seconds_text(numbers.time.median),
                                numbers.time.takes == 1 ? "once" : fmt::format("median of {}", numbers.time.takes)));
  if (numbers.predicted_seconds) parts.push_back(seconds_text(*numbers.predicted_seconds) + " (predicted)");
  if (numbers.ran_without_cache)
    parts.push_back(seconds_text(numbers.ran_without_cache->time.median) + " without the cache (measured)");
  return parts.empty() ? "" : fmt::format("Its time: {}.", fmt::join(parts, ", "));
}

// What the recording goes on with after a step, where that is not the likeliest: somebody chose it.
std::optional<int32_t> chosen_instead(const LaneView& lane, const Step& step) {
  const auto next = static_cast<size_t>(step.context());
  if (next >= lane.tokens.size() || lane.tokens[next] == step.likeliest.front().token) return std::nullopt;
  return lane.tokens[next];
}

std::string what_may_come(const LaneView& lane, const Step& step) {
  std::string text;
  for (const Candidate& candidate : step.likeliest)
    if (candidate.token >= 0)
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", spoken_token(lane, candidate.token),
                          100 * candidate.probability);
  if (text.empty()) return "";
  const std::optional<int32_t> chosen = chosen_instead(lane, step);
  return fmt::format("Likeliest to come next: {}{}.", text,
                     chosen ? fmt::format("; {} was chosen", spoken_token(lane, *chosen)) : "");
}

// Where the text branched off before the step that is shown.
std::string where_it_branched(const LaneView& lane, int64_t step) {
  constexpr int64_t kMostNamed = 3;
  std::string text;
  int64_t branches = 0;
  for (int64_t i = 0; i < step; ++i) {
    const Step& earlier = lane.steps[static_cast<size_t>(i)];
    const std::optional<int32_t> chosen = chosen_instead(lane, earlier);
    if (!chosen || ++branches > kMostNamed) continue;
    text += fmt::format("{}after step {} {} in place of {}", text.empty() ? "" : ", ", with_commas(i),
                        spoken_token(lane, *chosen), spoken_token(lane, earlier.likeliest.front().token));
  }
  if (branches > kMostNamed) text += fmt::format(", and {} more", branches - kMostNamed);
  return text.empty() ? "" : fmt::format("Another token than the likeliest was chosen: {}.", text);
}

// What it has generated up to the step, of a long text the end; nothing at the prompt's end.
std::string what_it_wrote(const LaneView& lane, const Step& step) {
  constexpr size_t kMostTokens = 64;
  const auto prompt = std::ssize(lane.facts->prompt);
  const auto written = lane.tokens.subspan(static_cast<size_t>(prompt), static_cast<size_t>(step.context() - prompt));
  if (written.empty()) return "";
  const auto& tokenizer = lane.facts->model->tokenizer;
  std::string text;
  for (const int32_t token : written.last(std::min(written.size(), kMostTokens)))
    text += tokenizer ? tokenizer->token_label(token) : fmt::format("{}{}", text.empty() ? "" : ",", token);
  const std::string what =
      written.size() <= kMostTokens
          ? "It wrote"
          : fmt::format("The last {} of {} that it wrote are", kMostTokens, count_of(std::ssize(written), "token"));
  return fmt::format("{} \"{}\", the newest {}.", what, text, spoken_token(lane, written.back()));
}

std::string how_well_it_predicts(const LaneFacts& lane) {
  return lane.held_out_bits_per_byte
             ? fmt::format("On held-out text it needs {:.2f} bits a byte (measured).", *lane.held_out_bits_per_byte)
             : "";
}

std::string what_stopped_it(const LaneView& lane, const ViewState& view) {
  if (lane.stopped.empty() || view.step < lane.last_step()) return "";
  return fmt::format("It {}: {}", lane.failed ? "failed" : "stopped", at_end(lane.stopped));
}

// At a size, where nothing runs, there is no text, no time and no next token.
std::string paragraph_of_lane(const GrowthScene& scene, int index) {
  const GrowthLane& of = scene.lane(index);
  const ViewState& view = scene.view;
  const std::string prompt = count_of(of.prompt, "token");
  if (!of.numbers)
    return joined({shape_of(scene, index),
                   of.context == 0
                       ? fmt::format("Nothing is stored yet; the prompt has {}.", prompt)
                       : fmt::format("It has read {} of {} of the prompt.", with_commas(of.context), prompt),
                   of.view ? what_stopped_it(*of.view, view) : ""});
  const LaneNumbers& numbers = *of.numbers;
  const int64_t step = numbers.context - of.prompt;
  if (!of.view)
    return joined({shape_of(scene, index), what_it_keeps(numbers, view), what_the_step_took(numbers, step, view)});
  const LaneView& lane = *of.view;
  const Step& recorded = lane.steps[static_cast<size_t>(step)];
  return joined({shape_of(scene, index), what_it_wrote(lane, recorded), where_it_branched(lane, step),
                 what_it_keeps(numbers, view), what_the_window_does(lane, numbers.context, view),
                 what_the_step_took(numbers, step, view), view.cache_on ? how_long_it_took(numbers) : "",
                 what_may_come(lane, recorded), how_well_it_predicts(*lane.facts), what_stopped_it(lane, view)});
}

// --- What is pointed at ---

std::string zoom_in_words(const GrowthScene& scene) {
  if (scene.layout.zoomed < 0) return "";
  const LaneView& lane = *scene.lane(scene.layout.zoomed).view;
  const int64_t layer = scene.place(scene.layout.zoomed).bands.front().first_layer;
  std::string text = fmt::format("Zoomed into layer {} of {}, ", layer, lane.facts->label);
  const std::string means = means_in_zoom(scene);
  text += means.empty() ? "every number of it:" : means + ":";
  for (const Role role : lane.store->roles(layer)) {
    const int64_t heads = lane.store->heads(layer, role);
    text += fmt::format("{} {} of {} numbers, largest RMS {}", text.back() == ':' ? "" : ";",
                        heads == 1 ? std::string(name_of(role)) : fmt::format("{} of {} heads", name_of(role), heads),
                        lane.store->dim(layer, role),
                        number_in_words(lane.store->largest_rms(layer, role, lane.context_at(scene.view.step))));
  }
  text += fmt::format(". Violet is negative, {} is positive.", positive_colour(scene.view.theme));
  if (scene.lanes.size() > 1) text += " The other lanes are folded to their text.";
  return text;
}

std::string pointed_at(const RunView& run, const ViewState& view) {
  const std::optional<Cell>& cell = view.hovered ? view.hovered : view.pinned;
  if (!cell) return "";
  const std::optional<CellFacts> facts = facts_of(run, *cell, view.step);
  return facts ? joined(sentences_of(*facts)) : "";
}

}  // namespace

std::vector<std::string> paragraphs_of(const RunView& run, const ViewState& view) {
  std::vector<std::string> paragraphs;
  const auto add = [&](std::string paragraph) {
    if (!paragraph.empty()) paragraphs.push_back(std::move(paragraph));
  };
  if (view.scene == Scene::growth) {
    const Regions regions = regions_of(view);
    const GrowthScene scene = growth_scene_of(run, view, regions);
    add(joined({"Growth.", what_runs(run), where_the_playhead_is(run, view), who_is_selected(scene)}));
    add(joined({who_keeps_least(scene), how_it_is_looked_at(scene)}));
    for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane) add(paragraph_of_lane(scene, lane));
    add(zoom_in_words(scene));
  } else {
    add(joined({"Attention.", what_runs(run), where_the_playhead_is(run, view)}));
    for (std::string& paragraph : attention_words(run, view)) add(std::move(paragraph));
  }
  add(pointed_at(run, view));
  if (view.editing_prompt) add("The prompt is being edited.");
  if (view.keys) add("The list of keys is open.");
  if (!view.opening.empty()) add(fmt::format("{} is being opened.", view.opening));
  add(at_end(view.notice));
  return paragraphs;
}

std::string words_of(const RunView& run, const ViewState& view) {
  std::string text;
  for (const std::string& paragraph : paragraphs_of(run, view)) text += (text.empty() ? "" : "\n") + paragraph + "\n";
  return text;
}

}  // namespace kv::viewer
