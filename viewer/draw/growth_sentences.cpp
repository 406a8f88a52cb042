// The sentences of the growth scene's head.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viewer/draw/cache_words.h"
#include "viewer/draw/growth_headline.h"
#include "viewer/draw/growth_zoom.h"
#include "viewer/draw/heat_map.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/draw/zoom.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

// Lanes that stand at the same number of tokens as the selected one, and can be compared with it.
std::vector<const GrowthLane*> comparable_lanes(const GrowthScene& scene) {
  std::vector<const GrowthLane*> lanes;
  for (const GrowthLane& lane : scene.lanes)
    if (lane.context == scene.lane(scene.selected).context && lane.numbers) lanes.push_back(&lane);
  return lanes;
}

std::string after(const GrowthLane& lane) { return "After " + count_of(lane.context, "token"); }

std::vector<Headline> about_one(const GrowthLane& lane) {
  const int64_t adds = lane.numbers->token_bytes;
  const std::string end = adds > 0 ? fmt::format("a token adds {}.", exact_bytes_text(adds)) : "its window is full.";
  const std::string bytes = bytes_text(lane.numbers->kv_bytes);
  if (lane.full)
    return {{fmt::format("{} of {}: the cache is full. ", with_commas(lane.context), with_commas(lane.context)),
             fmt::format("{} keeps {}.", lane.label, bytes)},
            {"The cache is full: ", bytes + "."}};
  return {{fmt::format("{}, {} keeps {}: ", after(lane), lane.label, bytes), end},
          {fmt::format("{} keeps {}: ", lane.label, bytes), end}};
}

std::vector<Headline> about_most_and_least(const GrowthScene& scene, const std::vector<const GrowthLane*>& lanes) {
  const auto by_bytes = [](const GrowthLane* a, const GrowthLane* b) {
    return a->numbers->kv_bytes < b->numbers->kv_bytes;
  };
  const GrowthLane& most = **std::max_element(lanes.begin(), lanes.end(), by_bytes);
  const GrowthLane& least = **std::min_element(lanes.begin(), lanes.end(), by_bytes);
  const int64_t more = most.numbers->kv_bytes, less = least.numbers->kv_bytes;
  const std::string more_text = bytes_text(more), less_text = bytes_text(less);
  if (more == less)
    return {{after(most) + ", all keep the same: ", more_text + "."}, {"All keep the same: ", more_text + "."}};
  const std::string end =
      less == 0 ? "nothing." : times_text(static_cast<double>(more), static_cast<double>(less)) + " times less.";
  const Headline brief{fmt::format("{} keeps {}, {} {}: ", most.label, more_text, least.label, less_text), end};
  if (scene.predicted()) {
    const std::string& size = size_shown(scene.view)->name;
    return {{fmt::format("At the size of {}, after {}, {} would keep {}. {} would keep {}: ", size,
                         count_of(most.context, "token"), most.label, more_text, least.label, less_text),
             end},
            {fmt::format("{}, after {}: {} would keep {}, {} {}: ", size, count_of(most.context, "token"), most.label,
                         more_text, least.label, less_text),
             end},
            {fmt::format("{}: {} would keep {}, {} {}: ", size, most.label, more_text, least.label, less_text), end},
            {fmt::format("{}: {} {}, {} {}: ", size, most.label, more_text, least.label, less_text), end},
            {fmt::format("{}, {} to {}: ", size, most.label, least.label), end}};
  }
  if (std::all_of(lanes.begin(), lanes.end(), [](const GrowthLane* lane) { return lane->full; }))
    return {{fmt::format("{} of {}: the cache is full. {} keeps {}, {} {}: ", with_commas(most.context),
                         with_commas(most.context), most.label, more_text, least.label, less_text),
             end},
            {fmt::format("The cache is full. {}", brief.words), end},
            {fmt::format("Full: {}", brief.words), end}};
  return {
      {fmt::format("{}, {} keeps {}. {} keeps {}: ", after(most), most.label, more_text, least.label, less_text), end},
      brief};
}

std::vector<Headline> about_no_cache(const GrowthScene& scene) {
  const GrowthLane& lane = scene.lane(scene.selected);
  const LaneNumbers& n = *lane.numbers;
  const std::string flops = flops_text(n.flops_without_cache);
  if (n.flops_without_cache <= n.flops)
    return {{fmt::format("Without the cache nothing is kept. {} takes {} for the prompt, ", lane.label, flops),
             "and more in every step."},
            {fmt::format("No cache: {} for the prompt, ", flops), "more in every step."}};
  const std::string times = times_text(static_cast<double>(n.flops_without_cache), static_cast<double>(n.flops));
  if (scene.predicted())
    return {{fmt::format("At the size of {}, a step of {} without the cache would take {}: ",
                         size_shown(scene.view)->name, lane.label, flops),
             times + " times as much."},
            {fmt::format("{} without the cache: {} would take {}: ", size_shown(scene.view)->name, lane.label, flops),
             times + " times as much."},
            {fmt::format("{}, no cache: {}, ", size_shown(scene.view)->name, flops), times + " times as much."}};
  return {{fmt::format("Without the cache nothing is kept. This step of {} takes {}: ", lane.label, flops),
           times + " times as much."},
          {fmt::format("Without the cache {} takes {}: ", lane.label, flops), times + " times as much."}};
}

std::string number_word(size_t number) {
  constexpr std::array kWords = {"none", "one", "two", "three", "four", "five", "six"};
  return number < kWords.size() ? kWords[number] : std::to_string(number);
}

std::string band_words(const GrowthScene& scene) {
  const int64_t layers = scene.layout.layers_per_band;
  if (layers == 1) return "a band is a layer";
  if (std::all_of(scene.lanes.begin(), scene.lanes.end(),
                  [&](const GrowthLane& lane) { return lane.config->layers == layers; }))
    return fmt::format("a band is all {} layers", layers);
  const bool all_full = std::all_of(scene.lanes.begin(), scene.lanes.end(),
                                    [&](const GrowthLane& lane) { return lane.config->layers % layers == 0; });
  return fmt::format("a band is {}{} layers", all_full ? "" : "up to ", layers);
}

std::string column_words(const GrowthScene& scene) {
  const double tokens = tokens_per_column(scene.layout.axis);
  if (tokens < 1.5) return "a column is a token";
  const double whole = std::round(tokens);
  return fmt::format("a column is {}{:.0f} tokens", std::abs(tokens - whole) < 0.01 ? "" : "about ", whole);
}

std::string capital(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

// The lane whose window is spoken of: the selected one, or the first that has one; null: none has.
const GrowthLane* lane_with_window(const GrowthScene& scene) {
  if (scene.lane(scene.selected).has_window()) return &scene.lane(scene.selected);
  const auto found =
      std::find_if(scene.lanes.begin(), scene.lanes.end(), [](const GrowthLane& lane) { return lane.has_window(); });
  return found == scene.lanes.end() ? nullptr : &*found;
}

std::vector<std::string> sub_lines_by_slot(const GrowthLane& lane) {
  const std::string ring = capital(ring_words(*lane.view->facts, first_windowed_layer(*lane.config)));
  const std::string slots = ring.substr(0, ring.find(','));
  return {ring + ". Outlined: no longer needed, and written over next.", ring + ". Outlined: no longer needed.",
          slots + ". Outlined: no longer needed.", slots + "."};
}

std::vector<std::string> sub_lines_of_zoom(const GrowthScene& scene) {
  const GrowthLane& lane = scene.lane(scene.layout.zoomed);
  const int64_t layer = scene.place(scene.layout.zoomed).bands.front().first_layer;
  const std::string means = means_in_zoom(scene);
  const std::string numbers_shown =
      !means.empty() ? means : fmt::format("every number that it {}", scene.view.cache_on ? "keeps" : "computes anew");
  const std::string what = fmt::format("Layer {} of {}, {}", layer, lane.label, numbers_shown);
  return {fmt::format("{}: violet is negative, {} is positive.", what, positive_colour(scene.view.theme)), what + ".",
          fmt::format("Layer {} of {}.", layer, lane.label)};
}

}  // namespace

std::vector<Headline> headlines_of(const GrowthScene& scene) {
  if (scene.lanes.empty()) return {{"No model is open.", ""}};
  const GrowthLane& selected = scene.lane(scene.selected);
  if (selected.failed && selected.context == 0) return {{selected.label + " failed before its first step.", ""}};
  if (selected.reading && selected.context == 0)
    return {{"Nothing is stored yet. ", "Space starts."}, {"", "Space starts."}};
  if (selected.reading)
    return {{fmt::format("Reading the prompt: {} of {} ", with_commas(selected.context),
                         count_of(selected.prompt, "token")),
             "are stored."},
            {"Reading the prompt: ",
             fmt::format("{} of {}.", with_commas(selected.context), with_commas(selected.prompt))}};
  if (!scene.view.cache_on) return about_no_cache(scene);
  const std::vector<const GrowthLane*> lanes = comparable_lanes(scene);
  if (lanes.size() < 2) return about_one(selected);
  return about_most_and_least(scene, lanes);
}

std::string means_in_zoom(const GrowthScene& scene) {
  const int64_t numbers = values_per_row(scene.layout);
  const Strip& strip = scene.place(scene.layout.zoomed).bands.front().strips.front();
  const int64_t tokens = std::llround(tokens_per_column(scene.layout.axis_of(strip)));
  if (numbers > 1 && tokens > 1) return fmt::format("means of {} numbers of {} tokens", numbers, with_commas(tokens));
  if (numbers > 1) return fmt::format("means of {} numbers", numbers);
  return tokens > 1 ? fmt::format("means of {} tokens", with_commas(tokens)) : "";
}

std::string columns_and_bands(const GrowthScene& scene) { return column_words(scene) + ", " + band_words(scene); }

int64_t lanes_without_room(const GrowthScene& scene) {
  return std::count_if(scene.layout.lanes.begin(), scene.layout.lanes.end(),
                       [](const LaneLayout& lane) { return !lane.shown(); });
}

std::vector<std::string> sub_lines_of(const GrowthScene& scene) {
  if (scene.lanes.empty()) return {""};
  if (scene.layout.zoomed >= 0) return sub_lines_of_zoom(scene);
  if (const int64_t hidden = lanes_without_room(scene); hidden > 0)
    return {fmt::format("{} more need a higher window. Area is memory.", count_of(hidden, "lane")),
            fmt::format("{} more.", count_of(hidden, "lane"))};
  const std::string column = column_words(scene), band = band_words(scene);
  const std::string area = scene.layout.layers_per_band > 1 ? capital(band) + ", area is memory." : "Area is memory.";
  if (!scene.view.cache_on && scene.predicted())
    return {"Predicted: every column is computed again in each step and thrown away: " + column + ", " + band + ".",
            "Predicted: every column is computed again in each step.", "Predicted."};
  if (!scene.view.cache_on)
    return {"Every column is computed again in each step and thrown away: " + column + ", " + band + ".",
            "Every column is computed again in each step and thrown away.", "All is computed again in each step."};
  if (scene.predicted())
    return {fmt::format("Predicted, nothing runs at this size: {}, {}, area is memory.", column, band),
            fmt::format("Predicted: {}, {}, area is memory.", column, band), "Predicted. " + area, "Predicted."};
  const GrowthLane* window = lane_with_window(scene);
  if (window && scene.view.by_slot) return sub_lines_by_slot(*window);
  if (window)
    return {fmt::format("{}, {}, area is memory. Outlined: computed once, no longer stored.", capital(column), band),
            area + " Outlined: no longer stored.", area};
  const std::string all =
      scene.lanes.size() > 1 ? fmt::format(": one scale for all {}", number_word(scene.lanes.size())) : "";
  return {fmt::format("{}, {}, area is memory{}.", capital(column), band, all),
          fmt::format("{}, {}, area is memory.", capital(column), band), area};
}

}  // namespace kv::viewer
