#include "viewer/draw/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/attention_words.h"
#include "viewer/draw/cell_facts.h"
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

// The headline: who keeps the most, who the least, and how often one goes into the other.
std::string who_keeps_least(const RunView& run, const ViewState& view) {
  struct Kept {
    std::string label;
    LaneNumbers numbers;
  };
  std::vector<Kept> kept;
  for (int lane = 0; lane < static_cast<int>(run.lanes.size()); ++lane)
    if (const auto numbers = shown_numbers(run, view, lane))
      kept.push_back({run.lanes[static_cast<size_t>(lane)].facts->label, *numbers});
  if (kept.empty()) return "";
  const auto less = [](const Kept& a, const Kept& b) { return a.numbers.kv_bytes < b.numbers.kv_bytes; };
  const Kept& least = *std::min_element(kept.begin(), kept.end(), less);
  const Kept& most = *std::max_element(kept.begin(), kept.end(), less);
  const char* keeps = view.at_size_of < 0 && view.cache_on ? "keeps" : "would keep";
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

std::string how_it_is_looked_at(const ViewState& view) {
  std::string text;
  if (view.at_size_of >= 0)
    text += fmt::format(" All numbers are restated at the size of {} and predicted: nothing of that size runs here.",
                        sizes_to_compare()[static_cast<size_t>(view.at_size_of)].name);
  if (!view.cache_on)
    text +=
        " The cache is off: every step computes keys and values of all tokens anew, and what that takes is predicted.";
  if (view.by_slot) text += " Columns are slots of the cache as it lies in memory, so a window's ring wraps.";
  return text.empty() ? "" : text.substr(1);
}

// --- A lane ---

std::string shape_of(const LaneView& lane, const ModelConfig& config, const ViewState& view) {
  const LayerCache& first = config.layer_cache.front();
  std::string stores =
      config.has_latent_attention()
          ? fmt::format("one latent of {} and one rope key of {} for all of them", first.latent_dim, first.rope_dim)
          : fmt::format("{} of {}", count_of(config.kv_heads, "KV head"), config.key_head_dim);
  if (first.window > 0) stores += fmt::format(", a window of {}", count_of(first.window, "token"));
  return fmt::format("{}, {}: {}, {}, {}.", lane.facts->label, view.at_size_of < 0 ? lane.facts->name : "predicted",
                     count_of(config.layers, "layer"), count_of(config.heads, "query head"), stores);
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
  return fmt::format("It {} {} for {}, {}; {}.", view.at_size_of < 0 ? "keeps" : "would keep",
                     bytes_text(numbers.kv_bytes), count_of(numbers.context, "token"), share, adds);
}

std::string what_the_step_took(const LaneNumbers& numbers, int64_t step, const ViewState& view) {
  if (!view.cache_on && step > 0)
    return fmt::format("The step takes {} (predicted) to compute all {} anew; with the cache it takes {}, {} of that.",
                       flops_text(numbers.flops_without_cache), count_of(numbers.context, "token"),
                       flops_text(numbers.flops),
                       share_text(as_double(numbers.flops), as_double(numbers.flops_without_cache)));
  const char* origin = view.at_size_of < 0 ? "counted" : "predicted";
  std::string text = fmt::format(
      "{} {} {} ({}): {} for the new {}, {} ({}) to read the old ones; it reads {} of cache and {} of weights and "
      "writes "
      "{}.",
      step == 0 ? "Reading the prompt" : "The step", view.at_size_of < 0 ? "took" : "would take",
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
  if (numbers.predicted_seconds) parts.push_back(seconds_text(*numbers.predicted_seconds) + " (predicted at least)");
  if (numbers.ran_without_cache)
    parts.push_back(seconds_text(numbers.ran_without_cache->time.median) + " without the cache (measured)");
  return parts.empty() ? "" : fmt::format("Its time: {}.", fmt::join(parts, ", "));
}

std::string what_may_come(const LaneView& lane, const Step& step) {
  std::string text;
  for (const Candidate& candidate : step.likeliest)
    if (candidate.token >= 0)
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", spoken_token(lane, candidate.token),
                          100 * candidate.probability);
  return text.empty() ? "" : fmt::format("Likeliest to come next: {}.", text);
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

std::string paragraph_of_lane(const RunView& run, const ViewState& view, int index) {
  const LaneView& lane = run.lanes[static_cast<size_t>(index)];
  std::vector<std::string> sentences = {shape_of(lane, shown_config(run, view, index), view)};
  const int64_t step = shown_step(lane, view);
  if (step < 0) {
    sentences.push_back(lane.prompt_read == 0
                            ? fmt::format("Nothing is stored yet; the prompt has {}.",
                                          count_of(std::ssize(lane.facts->prompt), "token"))
                            : fmt::format("It has read {} of {} of the prompt.", with_commas(lane.prompt_read),
                                          count_of(std::ssize(lane.facts->prompt), "token")));
  } else {
    const Step& recorded = lane.steps[static_cast<size_t>(step)];
    const LaneNumbers numbers = *shown_numbers(run, view, index);
    sentences.push_back(what_it_wrote(lane, recorded));
    sentences.push_back(what_it_keeps(numbers, view));
    sentences.push_back(what_the_step_took(numbers, step, view));
    if (view.at_size_of < 0 && view.cache_on) sentences.push_back(how_long_it_took(numbers));
    sentences.push_back(what_may_come(lane, recorded));
  }
  if (lane.facts->held_out_bits_per_byte && view.at_size_of < 0)
    sentences.push_back(
        fmt::format("On held-out text it needs {:.2f} bits a byte (measured).", *lane.facts->held_out_bits_per_byte));
  if (!lane.stopped.empty() && view.step >= lane.last_step())
    sentences.push_back(fmt::format("It {}: {}", lane.failed ? "failed" : "stopped", at_end(lane.stopped)));
  return joined(sentences);
}

// --- What is pointed at ---

std::string zoom_in_words(const RunView& run, const ViewState& view) {
  if (!view.zoom || view.zoom->lane < 0 || view.zoom->lane >= std::ssize(run.lanes)) return "";
  const LaneView& lane = run.lanes[static_cast<size_t>(view.zoom->lane)];
  const int64_t layer = std::clamp<int64_t>(view.zoom->layer, 0, lane.config().layers - 1);
  std::string text =
      fmt::format("Zoomed into layer {} of {}, where each number is a pixel or more:", layer, lane.facts->label);
  for (const Role role : lane.store->roles(layer)) {
    const int64_t heads = lane.store->heads(layer, role);
    text += fmt::format("{} {} of {} numbers, largest RMS {}", text.back() == ':' ? "" : ";",
                        heads == 1 ? std::string(name_of(role)) : fmt::format("{} of {} heads", name_of(role), heads),
                        lane.store->dim(layer, role),
                        number_in_words(lane.store->largest_rms(layer, role, lane.context_at(view.step))));
  }
  return at_end(text);
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
  const bool growth = view.scene == Scene::growth;
  add(joined({growth ? "Growth." : "Attention.", what_runs(run), where_the_playhead_is(run, view)}));
  add(joined({growth ? who_keeps_least(run, view) : "", how_it_is_looked_at(view)}));
  if (growth) {
    for (int lane = 0; lane < static_cast<int>(run.lanes.size()); ++lane) add(paragraph_of_lane(run, view, lane));
    add(zoom_in_words(run, view));
  } else {
    for (std::string& paragraph : attention_words(run, view)) add(std::move(paragraph));
  }
  add(pointed_at(run, view));
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
