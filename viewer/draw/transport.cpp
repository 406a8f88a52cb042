#include "viewer/draw/transport.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/ghost_plot.h"
#include "viewer/draw/scrubber.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kButtonsTop = 78, kButtonHeight = 24, kButtonWidth = 34, kPlayWidth = 48, kButtonGap = 7;
constexpr float kTextTop = kButtonsTop + 4;

// Signs on buttons, around a middle.
void draw_triangle(Picture& picture, Point at, float direction, Colour colour) {
  picture.polygon({{at.x + 5 * direction, at.y}, {at.x - 4 * direction, at.y - 5}, {at.x - 4 * direction, at.y + 5}},
                  colour);
}
// Open, so that one step differs from playing.
void draw_chevron(Picture& picture, Point at, float direction, Colour colour) {
  const float back = at.x - 2.5f * direction;
  picture.shapes.push_back(Polyline{{{back, at.y - 5}, {at.x + 2.5f * direction, at.y}, {back, at.y + 5}}, colour, 2});
}
void draw_bar(Picture& picture, float x, float y, Colour colour) { picture.rect({x - 1, y - 5, x + 1, y + 5}, colour); }

class Controls {
 public:
  Controls(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure)
      : run_(run), view_(view), regions_(regions), measure_(measure), palette_(palette_of(view.theme)) {
    x_ = regions.map.left;
    top_ = regions.transport.top;
  }

  Picture draw() {
    const int64_t last = std::max<int64_t>(run_.last_step(), 0);
    button("first", kButtonWidth, "To the prompt's end, step 0 (Home)", action::GoTo{0}, [&](Point at) {
      draw_bar(picture_, at.x - 5, at.y, palette_.text);
      draw_triangle(picture_, {at.x + 2, at.y}, -1, palette_.text);
    });
    button("back", kButtonWidth, "One step back (Left)", action::StepBy{-1},
           [&](Point at) { draw_chevron(picture_, at, -1, palette_.text); });
    button("play", kPlayWidth, view_.playing ? "Pause (Space)" : "Play (Space)", action::PlayOrPause{}, [&](Point at) {
      if (!view_.playing) return draw_triangle(picture_, at, 1, palette_.text);
      picture_.rect({at.x - 5, at.y - 5, at.x - 2, at.y + 5}, palette_.text);
      picture_.rect({at.x + 2, at.y - 5, at.x + 5, at.y + 5}, palette_.text);
    });
    button("forward", kButtonWidth, "One step forward (Right)", action::StepBy{1},
           [&](Point at) { draw_chevron(picture_, at, 1, palette_.text); });
    button("last", kButtonWidth, "To the last recorded step (End)", action::GoTo{last}, [&](Point at) {
      draw_triangle(picture_, {at.x - 2, at.y}, 1, palette_.text);
      draw_bar(picture_, at.x + 5, at.y, palette_.text);
    });
    x_ += 10;
    write_step();
    write_right_end();
    return std::move(picture_);
  }

 private:
  template <class Sign>
  void button(const char* name, float width, const char* words, Action action, const Sign& sign) {
    const Rect box{x_, top_ + kButtonsTop, x_ + width, top_ + kButtonsTop + kButtonHeight};
    picture_.outline(box, palette_.line, 1, 5);
    sign(box.centre());
    picture_.spot(std::string("transport/") + name, box, words, std::move(action));
    x_ = box.right + kButtonGap;
  }

  float text_y() const { return top_ + kTextTop; }
  float right_end() const { return regions_.readouts.right; }

  // "step 98   token 112 of 1,024"
  void write_step() {
    const int index = selected_lane(run_, view_);
    if (index < 0) return;
    const LaneView& lane = run_.lanes[static_cast<size_t>(index)];
    const int64_t prompt = std::ssize(lane.facts->prompt);
    const std::string step =
        lane.steps.empty() ? "reading the prompt" : fmt::format("step {}", with_commas(shown_step(lane, view_)));
    write(step, fonts::kSmallStrong, palette_.text);
    x_ += 18;
    // While the prompt is read its own length is what counts; later the capacity.
    write(fmt::format("token {} of {}", with_commas(lane.context_at(std::max<int64_t>(view_.step, 0))),
                      with_commas(lane.steps.empty() ? prompt : lane.facts->capacity)),
          fonts::kSmall, palette_.soft);
  }

  void write(const std::string& text, Font font, Colour colour) {
    if (x_ + measure_.width(font, text) > right_end()) return;
    x_ = picture_.text({x_, text_y()}, text, font, colour, regions_.transport, measure_).right;
  }

  // The speed at the map's right end where there is room for it, and the keys behind it; else the speed alone at the
  // right end of all.
  void write_right_end() {
    const std::string speed = fmt::format("{:.3g} {} a second", view_.speed, view_.speed == 1 ? "token" : "tokens");
    constexpr float kSign = 22;
    const float width = measure_.width(fonts::kSmall, speed) + 2 * kSign;
    const bool beside_map = x_ + 16 + width <= regions_.map.right;
    const float right = beside_map ? regions_.map.right : right_end();
    if (x_ + 16 + width <= right) {
      const float left = right - width;
      sign_spot({left, text_y() - 3, left + kSign - 4, text_y() + 18}, "slower", "-", "Play at half the speed", 0.5);
      picture_.text({left + kSign, text_y()}, speed, fonts::kSmall, palette_.soft, regions_.transport, measure_);
      sign_spot({right - kSign + 4, text_y() - 3, right, text_y() + 18}, "faster", "+", "Play at double the speed", 2);
    }
    if (beside_map) write_keys();
  }

  void sign_spot(Rect box, const char* name, const char* sign, const char* words, double factor) {
    picture_.text({box.centre().x, text_y()}, sign, fonts::kSmallStrong, palette_.text, regions_.transport, measure_,
                  Align::centre);
    picture_.spot(std::string("transport/") + name, box, words, action::Faster{factor});
  }

  void write_keys() {
    const float left = regions_.readouts.left;
    const Rect plays = picture_.text({left, text_y()}, view_.playing ? "Space pauses" : "Space plays", fonts::kSmall,
                                     palette_.faint, regions_.transport, measure_);
    const Rect keys = picture_.text({plays.right + 12, text_y()}, "F1 all keys", fonts::kSmall, palette_.faint,
                                    regions_.transport, measure_);
    picture_.spot("transport/keys", keys, "All keys (F1)", action::ToggleKeys{});
  }

  const RunView& run_;
  const ViewState& view_;
  const Regions& regions_;
  const TextMeasure& measure_;
  const Palette& palette_;
  Picture picture_;
  float x_ = 0, top_ = 0;
};

void write_step_cost(Picture& picture, const RunView& run, const ViewState& view, const Regions& regions,
                     const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  const StepCostWords words = step_cost_words(run, view);
  const Rect region{regions.readouts.left, regions.transport.top, regions.readouts.right, regions.transport.bottom};
  const float x = region.left, y = scrubber_box(regions).top;
  const auto write = [&](float down, const std::string& text, Font font, Colour colour) {
    picture.text({x, y + down}, shortened(text, font, region.width(), measure), font, colour, region, measure);
  };
  write(-2, words.first, fonts::kSmall, palette.soft);
  write(15, words.amount, fonts::kNumber, palette.text);
  write(34, words.last, fonts::kSmall, palette.soft);
  if (words.amount.empty()) return;
  const bool parts = view.cache_on || view.step <= 0;
  picture.spot("transport/cost", {x, y - 2, region.right, y + 34 + fonts::kSmall.size},
               parts ? "FLOPs of this step: the new token's own, and the scan of the tokens before it."
                     : "FLOPs of this step when all keys and values are computed anew.");
}

}  // namespace

StepCostWords step_cost_words(const RunView& run, const ViewState& view) {
  const int lane = selected_lane(run, view);
  if (lane < 0) return {};
  const std::optional<LaneNumbers> numbers = shown_numbers(run, view, lane);
  if (!numbers) return {};
  const SizeOf* size = size_shown(view);
  const bool prompt = shown_step(run.lanes[static_cast<size_t>(lane)], view) == 0;
  const auto with = static_cast<double>(numbers->flops), without = static_cast<double>(numbers->flops_without_cache);
  if (!view.cache_on && !prompt)
    return {size ? size->name + " with no cache:" : "With no cache this step takes:",
            flops_text(numbers->flops_without_cache),
            fmt::format("{} times as many, predicted", times_text(without, with))};
  const std::string scan = "scan " + percent_text(static_cast<double>(numbers->scan_flops), with);
  const std::string amount = flops_sum_text(numbers->new_token_flops, numbers->scan_flops);
  if (size && prompt) return {size->name + " reads the prompt:", amount, scan + ", predicted"};
  if (size) return {size->name + ", predicted:", amount, scan + " of this step"};
  return {prompt ? "The prompt is read at once:" : "Reading old tokens stays:", amount, scan + " of this step"};
}

Picture draw_transport(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  Picture picture;
  picture.rect(regions.transport, palette.panel);
  picture.line({regions.transport.left, regions.transport.top + 0.5f},
               {regions.transport.right, regions.transport.top + 0.5f}, palette.line);
  picture.add(draw_scrubber(run, view, regions, measure));
  write_step_cost(picture, run, view, regions, measure);
  picture.add(draw_ghost_plot(run, view, regions, measure));
  picture.add(Controls(run, view, regions, measure).draw());
  return picture;
}

}  // namespace kv::viewer
