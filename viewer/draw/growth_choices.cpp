// What else the maps can show, as words to choose from.
#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/growth_names.h"
#include "viewer/draw/growth_step.h"
#include "viewer/draw/shown_numbers.h"

namespace kv::viewer {

namespace {

constexpr float kBelowNames = 100;  // of a lane that is high enough: name, heads, glyph and bits a byte stand above
constexpr float kLine = 18, kBetweenChoices = 8;
constexpr float kBetweenOptions = 12, kBetweenInRow = 26;

void draw_option(Picture& picture, const GrowthScene& scene, const Choice& choice, size_t index, Point at, Rect region,
                 const TextMeasure& measure) {
  const Choice::Option& option = choice.options[index];
  const Rect box = picture.text(at, option.name, fonts::kSmall, option.chosen ? scene.palette.text : scene.palette.soft,
                                region, measure);
  if (option.chosen) picture.rect({box.left, box.bottom, box.right, box.bottom + 1.5f}, scene.palette.text);
  picture.spot(fmt::format("{} {}", choice.id, index), {box.left, box.top - 1, box.right, box.bottom + 2}, option.words,
               option.action);
}

}  // namespace

std::vector<Choice> choices_of(const GrowthScene& scene) {
  std::vector<Choice> choices;
  if (scene.lanes.empty() || scene.layout.zoomed >= 0) return choices;
  if (!scene.predicted() &&
      std::any_of(scene.lanes.begin(), scene.lanes.end(), [](const auto& l) { return l.has_window(); }))
    choices.push_back({"axis",
                       "window",
                       {{"by position", "Columns are positions: the window moves over them.", action::ShowBySlot{false},
                         !scene.view.by_slot},
                        {"by slot", "Columns are slots: the ring as it lies in memory.", action::ShowBySlot{true},
                         scene.view.by_slot}}});
  Choice sizes{"size", "at the size of", way_back().options};
  sizes.options.front().chosen = !scene.predicted();
  const SizeOf* shown = size_shown(scene.view);
  for (int i = 0; i < static_cast<int>(sizes_to_compare().size()); ++i) {
    const SizeOf& size = sizes_to_compare()[static_cast<size_t>(i)];
    sizes.options.push_back({size.name,
                             fmt::format("Shows what models of the size of {} would keep, predicted.", size.name),
                             action::ShowAtSizeOf{i}, &size == shown});
  }
  choices.push_back(std::move(sizes));
  return choices;
}

Choice way_back() {
  return {"size", "back to", {{"these models", "Shows the models that run.", action::ShowAtSizeOf{-1}}}};
}

float width_of_choices(const std::vector<Choice>& choices, const TextMeasure& measure) {
  float width = 0;
  for (const Choice& choice : choices) {
    if (width > 0) width += kBetweenInRow;
    width += measure.width(fonts::kSmall, choice.title + ":");
    for (const Choice::Option& option : choice.options)
      width += kBetweenOptions + measure.width(fonts::kSmall, option.name);
  }
  return width;
}

Picture draw_choices_in_row(const GrowthScene& scene, const std::vector<Choice>& choices, Point left_top,
                            const TextMeasure& measure) {
  Picture picture;
  const Rect region{left_top.x, left_top.y - 2, scene.regions.content.right, left_top.y + 18};
  float x = left_top.x;
  for (const Choice& choice : choices) {
    if (x > left_top.x) x += kBetweenInRow;
    x = picture.text({x, left_top.y}, choice.title + ":", fonts::kSmall, scene.palette.faint, region, measure).right;
    for (size_t i = 0; i < choice.options.size(); ++i) {
      x += kBetweenOptions;
      draw_option(picture, scene, choice, i, {x, left_top.y}, region, measure);
      x += measure.width(fonts::kSmall, choice.options[i].name);
    }
  }
  return picture;
}

bool choices_fit_below_names(const GrowthScene& scene, const std::vector<Choice>& choices, const TextMeasure&) {
  if (scene.lanes.empty()) return false;
  float height = kBelowNames;
  for (const Choice& choice : choices)
    height += kBetweenChoices + kLine * static_cast<float>(1 + std::ssize(choice.options));
  return height <= scene.place(lane_of_step_block(scene)).box.height();
}

Picture draw_choices_below_names(const GrowthScene& scene, const std::vector<Choice>& choices,
                                 const TextMeasure& measure) {
  Picture picture;
  const Rect names = scene.place(lane_of_step_block(scene)).names;
  float y = names.top + kBelowNames;
  for (const Choice& choice : choices) {
    picture.text({names.left, y}, choice.title, fonts::kSmall, scene.palette.faint, names, measure);
    for (size_t i = 0; i < choice.options.size(); ++i)
      draw_option(picture, scene, choice, i, {names.left, y += kLine}, names, measure);
    y += kLine + kBetweenChoices;
  }
  return picture;
}

}  // namespace kv::viewer
