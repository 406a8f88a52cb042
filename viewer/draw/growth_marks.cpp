#include "viewer/draw/growth_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/growth_map.h"
#include "viewer/draw/text.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr double kSettleSeconds = 0.25;
constexpr float kNewestLine = 1.5f, kBeyondBands = 3;
constexpr float kWordsFrom = 150;  // px of well that have room for words
constexpr float kWordsGap = 14;

bool is_second(Role role) { return role == Role::value || role == Role::rope_key; }

// The right end of what is filled in a strip, over all its spans.
float filled_end(const GrowthScene& scene, int lane, const Strip& strip) {
  float end = strip.box.left;
  for (const FillSpan& span : spans_of(scene.lane(lane), strip, scene.view.by_slot))
    end = std::max(end, columns_box(scene.layout, strip, span.column, span.count).right);
  return end;
}

// Each x range of a lane in which columns stand: one in most pictures, two where K and V stand side by side.
std::vector<const Strip*> strips_with_own_axis(const LaneLayout& place) {
  std::vector<const Strip*> found;
  for (const Strip& strip : place.bands.front().strips)
    if (std::none_of(found.begin(), found.end(), [&](const Strip* other) { return other->box.left == strip.box.left; }))
      found.push_back(&strip);
  return found;
}

// A line between K and V would hide what is not higher than a few of it: a rope key, say.
bool have_room_for_a_line(const Band& band) {
  float heights[] = {0, 0};
  for (const Strip& strip : band.strips) heights[is_second(strip.role)] += strip.box.height();
  return std::min(heights[0], heights[1]) >= 4;
}

std::string heads_of(const Strip& strip, const ModelConfig& config) {
  const LayerCache& cache = config.layer_cache[static_cast<size_t>(strip.first_layer)];
  return cache.kind == LayerCache::Kind::latent ? "" : count_of(cache.kv_heads, "head");
}

}  // namespace

Picture draw_gaps(const GrowthScene& scene, int lane) {
  Picture picture;
  for (const Band& band : scene.place(lane).bands) {
    if (!have_room_for_a_line(band)) continue;
    for (size_t i = 1; i < band.strips.size(); ++i) {
      const Strip &above = band.strips[i - 1], &below = band.strips[i];
      const bool border = is_second(below.role) && !is_second(above.role) && below.box.left == above.box.left;
      if (border)
        picture.rect({below.box.left, below.box.top - 0.5f, filled_end(scene, lane, below), below.box.top + 0.5f},
                     scene.palette.background);
    }
  }
  for (const Strip* strip : strips_with_own_axis(scene.place(lane))) {
    const TokenAxis axis = scene.layout.axis_of(*strip);
    if (!axis.separated()) continue;
    const Rect box = scene.place(lane).bands_box();
    float end = axis.left;
    for (const Band& band : scene.place(lane).bands)
      for (const Strip& other : band.strips)
        if (other.box.left == strip->box.left) end = std::max(end, filled_end(scene, lane, other));
    for (int64_t column = 1; axis.x_of(column) <= end + 0.5f; ++column)
      picture.rect({axis.x_of(column) - axis.gap(), box.top, axis.x_of(column), box.bottom}, scene.palette.background);
  }
  return picture;
}

Picture draw_flash(const GrowthScene& scene, int lane) {
  Picture picture;
  const ViewState& view = scene.view;
  const GrowthLane& of = scene.lane(lane);
  if (!view.playing || view.reduced_motion || !of.view || of.reading || of.failed) return picture;
  if (view.step > of.view->last_step()) return picture;  // this lane waits, or has ended
  const auto light = [](double age) { return age < kSettleSeconds ? 1 - age / kSettleSeconds : 0.0; };
  const double step_age = view.phase / std::max(view.speed, 1e-3);
  for (const Band& band : scene.place(lane).bands)
    for (const Strip& strip : band.strips) {
      const auto flash = [&](int64_t column, int64_t count, double share) {
        if (share > 0)
          picture.rect(columns_box(scene.layout, strip, column, count), Colour{255, 255, 255}.faded(share));
      };
      if (!view.cache_on || view.step == 0) {
        for (const FillSpan& span : spans_of(of, strip, view.by_slot))
          if (span.kept) flash(span.column, span.count, light(step_age) * 0.8);
        continue;
      }
      for (int64_t back = 0; back < view.step; ++back) {
        const double age = step_age + static_cast<double>(back) / view.speed;
        if (age >= kSettleSeconds) break;
        GrowthLane then = of;
        then.context = of.context - back;
        flash(newest_column(then, strip, view.by_slot), 1, light(age));
      }
    }
  return picture;
}

Picture draw_newest(const GrowthScene& scene, int lane) {
  Picture picture;
  const GrowthLane& of = scene.lane(lane);
  const LaneLayout& place = scene.place(lane);
  for (const Strip* strip : strips_with_own_axis(place)) {
    const TokenAxis axis = scene.layout.axis_of(*strip);
    const int64_t column = newest_column(of, *strip, scene.view.by_slot);
    if (!axis.separated()) {
      const float x = axis.x_of(column + 1);
      const Rect box = place.bands_box();
      picture.rect({x - kNewestLine / 2, box.top - kBeyondBands, x + kNewestLine / 2, box.bottom + kBeyondBands},
                   scene.palette.text);
      continue;
    }
    for (const Band& band : place.bands) {
      Strip of_band = band.strips.front();
      of_band.box = {strip->box.left, band.box.top, strip->box.right, band.box.bottom};
      const Rect box = columns_box(scene.layout, of_band, newest_column(of, of_band, scene.view.by_slot), 1);
      picture.outline({box.left, box.top, box.right - axis.gap(), box.bottom}, scene.palette.text, kNewestLine);
    }
  }
  return picture;
}

Picture draw_prompt_end(const GrowthScene& scene, int lane) {
  Picture picture;
  const GrowthLane& of = scene.lane(lane);
  const LaneLayout& place = scene.place(lane);
  if (of.prompt == 0 || of.reading || (scene.view.by_slot && of.has_window())) return picture;
  const Rect box = place.bands_box();
  for (const Strip* strip : strips_with_own_axis(place)) {
    const float x = scene.layout.axis_of(*strip).x_of(of.prompt);
    if (x < strip->box.right)
      picture.dotted({x, box.top - kBeyondBands}, {x, box.bottom + kBeyondBands}, scene.palette.text);
  }
  return picture;
}

Picture draw_marked_cells(const GrowthScene& scene, int lane) {
  Picture picture;
  const GrowthLane& of = scene.lane(lane);
  const auto mark = [&](const std::optional<Cell>& cell, float thickness) {
    if (!cell || cell->lane != of.runs_as || !of.view || cell->position >= of.context) return;
    for (const Band& band : scene.place(lane).bands)
      for (const Strip& strip : band.strips) {
        const bool holds = strip.role == cell->role && cell->layer >= strip.first_layer &&
                           cell->layer < strip.first_layer + strip.layers && cell->head >= strip.first_head &&
                           cell->head < strip.first_head + strip.heads;
        if (!holds) continue;
        for (const FillSpan& span : spans_of(of, strip, scene.view.by_slot)) {
          if (cell->position < span.position || cell->position >= span.position + span.count) continue;
          Rect box = columns_box(scene.layout, strip, span.column + cell->position - span.position, 1);
          if (scene.layout.zoomed == lane && cell->dim) {
            box.top += static_cast<float>(*cell->dim) * scene.layout.value_pixels;
            box.bottom = box.top + scene.layout.value_pixels;
          }
          picture.outline(box.inset(-1), scene.palette.text, thickness);
        }
      }
  };
  mark(scene.view.hovered, 1);
  mark(scene.view.pinned, 2);
  return picture;
}

Picture draw_words_in_well(const GrowthScene& scene, int lane, const TextMeasure& measure) {
  Picture picture;
  const GrowthLane& of = scene.lane(lane);
  const LaneLayout& place = scene.place(lane);
  const Rect region{place.box.left, place.text_line.bottom - 4, place.text_line.right, place.box.bottom + 4};
  const Band& band = place.bands.front();
  if (of.failed) {
    float y = place.bands_box().top + 4;
    for (const std::string& line :
         wrapped(of.view->stopped, fonts::kBodyStrong, place.text_line.width() - 24, measure)) {
      if (y + fonts::kBodyStrong.size > region.bottom) break;
      picture.text({place.text_line.left + 12, y}, line, fonts::kBodyStrong, scene.palette.error, region, measure);
      y += 21;
    }
    return picture;
  }
  if (of.context == 0) return picture;
  float end = 0;
  for (const Strip& strip : band.strips) end = std::max(end, filled_end(scene, lane, strip));
  if (band.layers > 1 || place.text_line.right - end <= kWordsFrom || scene.layout.zoomed == lane) return picture;
  // One line for each role where these are high enough, else one line for both, which may reach into the next gap.
  float x = end + kWordsGap;
  const Font font = fonts::kSmall;
  float role_top = band.box.top;
  for (size_t i = 0; i < band.strips.size();) {
    const Role role = band.strips[i].role;
    float role_bottom = role_top;
    const Strip& first = band.strips[i];
    for (; i < band.strips.size() && band.strips[i].role == role; ++i) role_bottom = band.strips[i].box.bottom;
    const std::string heads = heads_of(first, *of.config);
    const bool apart = band.box.height() >= 2 * font.size + 4 && !heads.empty();
    const std::string plus = role == Role::rope_key ? "+ " : "";
    const std::string words = plus + std::string(name_of(role)) + (heads.empty() ? "" : (apart ? "   " : " ") + heads);
    const float y = apart ? (role_top + role_bottom - font.size) / 2
                          : std::max(band.box.top - 2, (band.box.top + band.box.bottom - font.size) / 2);
    if (x + measure.width(font, words) > place.text_line.right) break;
    const Rect box = picture.text({x, y}, words, font, scene.palette.role_text(role), region, measure);
    if (!apart) x = box.right + 10;
    role_top = role_bottom;
  }
  return picture;
}

Picture draw_layer_digits(const GrowthScene& scene, int lane, const TextMeasure& measure) {
  Picture picture;
  const LaneLayout& place = scene.place(lane);
  if (lane > 0 || scene.layout.zoomed >= 0) return picture;
  const Font font = fonts::kSmall;
  const Rect region{place.names.left, place.box.top - 4, place.text_line.left, place.box.bottom + 4};
  const float right = place.text_line.left - 7;
  picture.text({right, place.text_line.top}, "layer", font, scene.palette.faint, region, measure, Align::right);
  float free_from = place.text_line.top + font.size + 2;
  for (const Band& band : place.bands) {
    const float y = (band.box.top + band.box.bottom - font.size) / 2;
    if (y < free_from || y + font.size > region.bottom) continue;
    const std::string layers = band.layers == 1
                                   ? std::to_string(band.first_layer)
                                   : fmt::format("{}-{}", band.first_layer, band.first_layer + band.layers - 1);
    picture.text({right, y}, layers, font, scene.palette.faint, region, measure, Align::right);
    free_from = y + font.size + 1;
  }
  return picture;
}

}  // namespace kv::viewer
