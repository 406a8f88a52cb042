#include "viewer/draw/growth_readouts.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/growth_step.h"
#include "viewer/draw/growth_zoom.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kLeastSolid = 2;  // px of a bar's filled part
constexpr float kBarHeight = 10;

// A name at the left and a number at the right edge of one row.
void draw_row(Picture& picture, const GrowthScene& scene, const Rect& place, float y, std::string_view left,
              std::string_view right, Font right_font, const TextMeasure& measure) {
  const Rect box = picture.text({place.left, y}, left, fonts::kSmall, scene.palette.soft, place, measure);
  const float width = measure.width(right_font, right);
  if (box.right + 8 + width > place.right) return;
  picture.text({place.right, y + (fonts::kSmall.size - right_font.size) / 2}, right, right_font, scene.palette.soft,
               place, measure, Align::right);
}

// Of the lane that is called MHA, as the areas show it; where there is none, of what the same model would store with
// one K and one V for every query head.
std::string share_of_mha(const GrowthScene& scene, const GrowthLane& lane) {
  if (!lane.numbers) return "";
  double share = lane.numbers->ratio_to_mha;
  for (const GrowthLane& other : scene.lanes)
    if (other.label == "MHA")
      share = static_cast<double>(lane.kv_bytes()) /
              static_cast<double>(other.config->cache_bytes(lane.context, other.cache_dtype));
  return share > 0.995 ? "" : share_text(share, 1) + " of MHA";
}

// How the step's FLOPs stand to those of the other way.
std::string work_compared(const GrowthScene& scene, const LaneNumbers& numbers) {
  const auto with = static_cast<double>(numbers.flops), without = static_cast<double>(numbers.flops_without_cache);
  if (without <= with * 1.005) return "as without a cache";
  return scene.view.cache_on ? share_text(with, without) + " of no cache"
                             : times_text(without, with) + " times as many";
}

std::string bytes_now(const GrowthScene& scene, const GrowthLane& lane) {
  return bytes_text(scene.view.cache_on ? lane.kv_bytes() : 0);
}

// While the prompt is read: how far.
void draw_progress(Picture& picture, const GrowthScene& scene, int lane, float y, const TextMeasure& measure) {
  const GrowthLane& of = scene.lane(lane);
  const Rect place = scene.place(lane).readouts;
  if (of.prompt == 0 || of.context == 0) return;
  draw_row(picture, scene, place, y, "prompt read",
           fmt::format("{} of {}", with_commas(of.context), with_commas(of.prompt)), fonts::kNumber, measure);
  const Rect bar{place.left, y + 21, place.right, y + 21 + kBarHeight};
  if (bar.bottom > place.bottom) return;
  const float share = static_cast<float>(of.context) / static_cast<float>(of.prompt);
  picture.rect({bar.left, bar.top, bar.left + bar.width() * share, bar.bottom}, scene.palette.text);
  picture.outline(bar, scene.palette.faint);
}

void draw_bar(Picture& picture, const GrowthScene& scene, int lane, Rect place) {
  const FlopBar bar = flop_bar_of(scene, lane, place);
  picture.outline(bar.outline, scene.palette.faint, 1.5f);
  picture.rect(bar.filled, scene.palette.text);
}

void draw_bytes(Picture& picture, const GrowthScene& scene, int lane, const TextMeasure& measure) {
  const GrowthLane& of = scene.lane(lane);
  const Rect place = scene.place(lane).readouts;
  const bool tight = scene.layout.least_lane < 60;
  const Font font = tight ? fonts::kName : fonts::kBytes;
  const Rect region{place.left, place.top - 6, place.right, place.bottom + 4};
  const Colour colour = scene.view.cache_on ? scene.palette.text : scene.palette.soft;
  const Rect bytes =
      picture.text({place.left, place.top - (tight ? 3.f : 5.f)}, bytes_now(scene, of), font, colour, region, measure);
  const std::string share = scene.view.cache_on ? share_of_mha(scene, of) : "nothing is kept";
  if (bytes.right + 8 + measure.width(fonts::kBodyStrong, share) <= place.right)
    picture.text({place.right, place.top + 2}, share, fonts::kBodyStrong, scene.palette.soft, region, measure,
                 Align::right);
}

// Bytes, and one more line; a bar below where there is room.
void draw_in_two_lines(Picture& picture, const GrowthScene& scene, int lane, const TextMeasure& measure) {
  const GrowthLane& of = scene.lane(lane);
  const Rect place = scene.place(lane).readouts;
  const float second = place.top + (scene.layout.least_lane < 60 ? 24.f : 29.f);
  if (second + fonts::kSmall.size > place.bottom + 4) return;
  if (!of.numbers) return draw_progress(picture, scene, lane, second, measure);
  const std::string adds = "+ " + exact_bytes_text(scene.view.cache_on ? of.numbers->token_bytes : 0);
  draw_row(picture, scene, place, second, adds, work_compared(scene, *of.numbers), fonts::kSmall, measure);
  const float bar = second + fonts::kSmall.size + 5;
  if (bar + 6 <= place.bottom + 2) draw_bar(picture, scene, lane, {place.left, bar, place.right, bar + 6});
}

void draw_all_lines(Picture& picture, const GrowthScene& scene, int lane, const TextMeasure& measure) {
  const GrowthLane& of = scene.lane(lane);
  const Rect place = scene.place(lane).readouts;
  if (!of.numbers) return draw_progress(picture, scene, lane, place.top + 29, measure);
  const LaneNumbers& numbers = *of.numbers;
  const bool replaces = numbers.token_bytes == 0 && scene.view.cache_on;  // its window is full
  const int64_t bytes = replaces ? numbers.cache_bytes_written : scene.view.cache_on ? numbers.token_bytes : 0;
  draw_row(picture, scene, place, place.top + 29, replaces ? "a token replaces" : "a token adds",
           exact_bytes_text(bytes), fonts::kNumber, measure);
  draw_bar(picture, scene, lane, {place.left, place.top + 50, place.right, place.top + 50 + kBarHeight});
  const std::string flops = flops_text(scene.view.cache_on ? numbers.flops : numbers.flops_without_cache);
  draw_row(picture, scene, place, place.top + 66, flops, work_compared(scene, numbers), fonts::kSmall, measure);
}

void add_spots(Picture& picture, const GrowthScene& scene, int lane) {
  const GrowthLane& of = scene.lane(lane);
  const Rect place = scene.place(lane).readouts;
  std::optional<Action> select;
  if (of.runs_as >= 0) select = action::SelectLane{of.runs_as};
  const float half = std::min(place.top + 46, place.bottom);
  picture.spot(fmt::format("bytes {}", lane), {place.left, place.top, place.right, half},
               fmt::format("{} keeps {} after {}.", of.label, bytes_now(scene, of), count_of(of.context, "token")),
               select);
  if (!of.numbers || half + 10 > place.bottom || scene.place(lane).folded) return;
  const float bottom = std::min(place.top + 84, place.bottom);
  picture.spot(fmt::format("work {}", lane), {place.left, half, place.right, bottom},
               fmt::format("{} takes {} for this step with the cache, {} without it: of the bar {}, the outline is the "
                           "step without. Choose it to see the run {}.",
                           of.label, flops_text(of.numbers->flops), flops_text(of.numbers->flops_without_cache),
                           scene.view.cache_on ? "the solid part is the step with the cache" : "all is solid",
                           scene.view.cache_on ? "without the cache" : "with the cache"),
               action::ShowCacheUse{!scene.view.cache_on});
}

}  // namespace

FlopBar flop_bar_of(const GrowthScene& scene, int lane, Rect place) {
  int64_t most = 1;
  for (const GrowthLane& of : scene.lanes)
    if (of.numbers) most = std::max({most, of.numbers->flops_without_cache, of.numbers->flops});
  const LaneNumbers& numbers = *scene.lane(lane).numbers;
  const auto width = [&](int64_t flops) {
    return place.width() * static_cast<float>(static_cast<double>(flops) / static_cast<double>(most));
  };
  FlopBar bar{place, place};
  bar.outline.right = place.left + width(std::max(numbers.flops_without_cache, numbers.flops));
  const int64_t done = scene.view.cache_on ? numbers.flops : numbers.flops_without_cache;
  bar.filled.right = place.left + std::max(kLeastSolid, width(done));
  return bar;
}

Picture draw_readouts(const GrowthScene& scene, int lane, const TextMeasure& measure) {
  Picture picture;
  const LaneLayout& place = scene.place(lane);
  if (place.folded) {
    picture.text({place.readouts.left, place.readouts.top - 1}, bytes_now(scene, scene.lane(lane)), fonts::kBodyStrong,
                 scene.palette.text, place.readouts.inset(-4), measure);
  } else {
    draw_bytes(picture, scene, lane, measure);
    const float legend = scene.layout.zoomed == lane ? kZoomLegendHeight : 0;
    const bool roomy = place.box.height() - legend >= 88;
    if (roomy)
      draw_all_lines(picture, scene, lane, measure);
    else
      draw_in_two_lines(picture, scene, lane, measure);
    if (roomy && lane == lane_of_step_block(scene)) picture.add(draw_step_block(scene, measure));
  }
  add_spots(picture, scene, lane);
  return picture;
}

}  // namespace kv::viewer
