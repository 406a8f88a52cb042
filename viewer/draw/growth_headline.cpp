#include "viewer/draw/growth_headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "viewer/draw/growth_names.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kLargestKey = 26;
constexpr float kKeyGap = 8, kBetween = 20;
constexpr float kLegendSquare = 10, kLegendGap = 6, kLegendBetween = 16;

// The first form that fits, in the large face if any does.
void draw_sentence(Picture& picture, const GrowthScene& scene, float width, const TextMeasure& measure) {
  const std::vector<Headline> forms = headlines_of(scene);
  const Rect place = scene.layout.headline;
  const Rect region{place.left, place.top, place.left + width, place.bottom};
  for (const Font font : {fonts::kTitle, fonts::kBodyStrong})
    for (const Headline& form : forms) {
      const float words = measure.width(font, form.words);
      if (words + measure.width(font, form.last_words) > width) continue;
      const float y = place.top + (fonts::kTitle.size - font.size) / 2;
      picture.text({place.left, y}, form.words, font, scene.palette.text, region, measure);
      picture.text({place.left + words, y}, form.last_words, font, scene.palette.accent_text, region, measure);
      return;
    }
  const Headline& last = forms.back();
  picture.text({place.left, place.top + 3}, shortened(last.words + last.last_words, fonts::kBodyStrong, width, measure),
               fonts::kBodyStrong, scene.palette.text, region, measure);
}

// Returns the left end.
float draw_area_key(Picture& picture, const GrowthScene& scene, const TextMeasure& measure) {
  const Rect place = scene.layout.headline;
  if (!(scene.layout.bytes_per_square_pixel > 0)) return place.right;
  const AreaKey key = area_key_of(scene.layout.bytes_per_square_pixel);
  const float middle = place.top + 12;
  const Rect square{place.right - key.side, middle - key.side / 2, place.right, middle + key.side / 2};
  picture.outline(square.inset(0.75f), scene.palette.soft, 1.5f);
  const Rect text =
      picture.text({square.left - kKeyGap, middle - fonts::kSmall.size / 2},
                   fmt::format("this area is {}", bytes_text(key.bytes)), fonts::kSmall, scene.palette.soft,
                   {place.left, place.top - 2, place.right, place.bottom + 4}, measure, Align::right);
  return text.left;
}

std::vector<Role> roles_of(const GrowthScene& scene) {
  std::vector<Role> roles;
  for (const Role role : {Role::key, Role::value, Role::latent, Role::rope_key}) {
    const bool drawn = std::any_of(scene.layout.lanes.begin(), scene.layout.lanes.end(), [&](const LaneLayout& lane) {
      return std::any_of(lane.bands.begin(), lane.bands.end(), [&](const Band& band) {
        return std::any_of(band.strips.begin(), band.strips.end(),
                           [&](const Strip& strip) { return strip.role == role; });
      });
    });
    if (drawn) roles.push_back(role);
  }
  return roles;
}

// Of the roles' colours. Returns the left end.
float draw_legend(Picture& picture, const GrowthScene& scene, const TextMeasure& measure) {
  const Rect place = scene.layout.sub_line;
  if (scene.layout.zoomed >= 0) return place.right;  // its colours are those of numbers, with a legend of their own
  const std::vector<Role> roles = roles_of(scene);
  float right = place.right;
  for (auto role = roles.rbegin(); role != roles.rend(); ++role) {
    const Rect text = picture.text({right, place.top}, name_of(*role), fonts::kSmall, scene.palette.soft,
                                   {place.left, place.top - 2, place.right, place.bottom + 2}, measure, Align::right);
    const float left = text.left - kLegendGap - kLegendSquare;
    picture.rect({left, place.top + 3, left + kLegendSquare, place.top + 3 + kLegendSquare}, scene.palette.role(*role));
    right = left - kLegendBetween;
  }
  return right + kLegendBetween;
}

// Returns the right end.
float draw_sub_line(Picture& picture, const GrowthScene& scene, const std::string& words, float width,
                    const TextMeasure& measure) {
  const Rect place = scene.layout.sub_line;
  const Rect region{place.left, place.top - 1, place.left + width, place.bottom + 1};
  return picture
      .text({place.left, place.top}, shortened(words, fonts::kSub, width, measure), fonts::kSub, scene.palette.soft,
            region, measure)
      .right;
}

// The first of the sub-lines, with the choices in its row; false: none leaves them the room.
bool draw_with_choices(Picture& picture, const GrowthScene& scene, std::span<const std::string> forms,
                       const std::vector<Choice>& choices, float width, const TextMeasure& measure) {
  const float row = width_of_choices(choices, measure);
  const auto fits = [&](const std::string& form) { return measure.width(fonts::kSub, form) + kBetween + row <= width; };
  const auto form = std::find_if(forms.begin(), forms.end(), fits);
  if (form == forms.end()) return false;
  const float right = draw_sub_line(picture, scene, *form, width, measure);
  picture.add(draw_choices_in_row(scene, choices, {right + kBetween, scene.layout.sub_line.top + 0.5f}, measure));
  return true;
}

// The sub-line, and in its row or below the names what else can be shown: where there is no room for all of that, at
// least the way back from a size.
void draw_second_row(Picture& picture, const GrowthScene& scene, float width, const TextMeasure& measure) {
  const std::vector<std::string> forms = sub_lines_of(scene);
  const std::vector<Choice> choices = choices_of(scene);
  const bool below_names = !choices.empty() && choices_fit_below_names(scene, choices, measure);
  const std::span<const std::string> all(forms), beside_row = below_names ? all.first(1) : all;
  if (!choices.empty() && draw_with_choices(picture, scene, beside_row, choices, width, measure)) return;
  if (scene.predicted() && !below_names && draw_with_choices(picture, scene, all, {way_back()}, width, measure)) return;
  const auto form = std::find_if(forms.begin(), forms.end(),
                                 [&](const std::string& words) { return measure.width(fonts::kSub, words) <= width; });
  draw_sub_line(picture, scene, form == forms.end() ? forms.back() : *form, width, measure);
  if (below_names) picture.add(draw_choices_below_names(scene, choices, measure));
}

}  // namespace

AreaKey area_key_of(double bytes_per_square_pixel) {
  AreaKey key{1, 0};
  const auto side = [&](int64_t bytes) { return std::sqrt(static_cast<double>(bytes) / bytes_per_square_pixel); };
  while (side(key.bytes * 4) <= static_cast<double>(kLargestKey)) key.bytes *= 4;
  key.side = static_cast<float>(side(key.bytes));
  return key;
}

Picture draw_headline(const GrowthScene& scene, const TextMeasure& measure) {
  Picture picture;
  const float key_left = draw_area_key(picture, scene, measure);
  draw_sentence(picture, scene, key_left - kBetween - scene.layout.headline.left, measure);
  const float legend_left = draw_legend(picture, scene, measure);
  draw_second_row(picture, scene, legend_left - kBetween - scene.layout.sub_line.left, measure);
  return picture;
}

}  // namespace kv::viewer
