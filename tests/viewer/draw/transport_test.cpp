// The strip at the bottom: what the step costs in words and as a plot, and buttons with names.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/fixed_measure.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/ghost_plot.h"
#include "viewer/draw/scrubber.h"
#include "viewer/draw/transport.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

namespace {

test::RecordedRun& four_lanes() {
  static test::RecordedRun run = [] {
    test::RecordedRun made = test::four_models(24);
    made.run_without_cache(16).run_without_cache(32);
    return made;
  }();
  return run;
}

ViewState state_of(float width, float height) {
  ViewState view;
  view.window = {0, 0, width, height};
  view.axis = 64;
  view.step = 20;
  return view;
}

bool has_label(const Picture& picture, const std::string& text) {
  const std::vector<Label> labels = picture.labels();
  return std::any_of(labels.begin(), labels.end(), [&](const Label& label) { return label.text == text; });
}

}  // namespace

TEST_SUITE("viewer/draw/transport") {
  TEST_CASE("what stays is said with the counted FLOPs of the step that is shown") {
    const RunView run = four_lanes().view();
    for (int lane = 0; lane < 4; ++lane) {
      ViewState view = state_of(1440, 900);
      view.lane = lane;
      const LaneNumbers numbers = numbers_of(run.lanes[static_cast<size_t>(lane)], 20);
      const StepCostWords words = step_cost_words(run, view);
      CHECK(words.first == "Reading old tokens stays:");
      CHECK(words.amount == flops_sum_text(numbers.new_token_flops, numbers.scan_flops));
      CHECK(words.last.starts_with(
          "scan " + percent_text(static_cast<double>(numbers.scan_flops), static_cast<double>(numbers.flops))));
      view.cache_on = false;
      CHECK(step_cost_words(run, view).amount == flops_text(numbers.flops_without_cache));
      view.at_size_of = 1;
      CHECK(step_cost_words(run, view).amount != flops_text(numbers.flops_without_cache));
    }
  }

  TEST_CASE("before anything is recorded nothing is said about costs") {
    static test::RecordedRun start = test::four_models_at_the_start();
    const StepCostWords words = step_cost_words(start.view(), state_of(1440, 900));
    CHECK(words.first.empty());
    CHECK(words.amount.empty());
    CHECK(step_cost_words({}, state_of(1440, 900)).last.empty());
  }

  TEST_CASE("each button has a name, words and what it does; play becomes pause") {
    ViewState view = state_of(1440, 900);
    const FixedMeasure measure;
    const Picture picture = draw_transport(four_lanes().view(), view, regions_of(view), measure);
    const auto spot = [](const Picture& of, const std::string& id) {
      const auto found = std::find_if(of.spots.begin(), of.spots.end(), [&](const Spot& s) { return s.id == id; });
      REQUIRE_MESSAGE(found != of.spots.end(), id);
      return *found;
    };
    CHECK(std::get<action::GoTo>(*spot(picture, "transport/first").action).step == 0);
    CHECK(std::get<action::GoTo>(*spot(picture, "transport/last").action).step == 24);
    CHECK(std::get<action::StepBy>(*spot(picture, "transport/back").action).steps == -1);
    CHECK(std::get<action::StepBy>(*spot(picture, "transport/forward").action).steps == 1);
    CHECK(std::get<action::Faster>(*spot(picture, "transport/slower").action).factor == 0.5);
    CHECK(std::get<action::Faster>(*spot(picture, "transport/faster").action).factor == 2);
    CHECK(spot(picture, "transport/play").words == "Play (Space)");
    CHECK(has_label(picture, "step 20"));
    CHECK(has_label(picture, "8 tokens a second"));
    view.playing = true;
    CHECK(spot(draw_transport(four_lanes().view(), view, regions_of(view), measure), "transport/play").words ==
          "Pause (Space)");
  }

  TEST_CASE("in the plot the triangle is the prediction for this step, and dots lie on the predicted line") {
    const RunView run = four_lanes().view();
    for (int lane = 0; lane < 4; ++lane) {
      ViewState view = state_of(1440, 900);
      view.lane = lane;
      const auto plot = ghost_plot(run, view, regions_of(view));
      REQUIRE(plot);
      const LaneView& of = run.lanes[static_cast<size_t>(lane)];
      const LaneNumbers numbers = numbers_of(of, 20);
      CHECK(plot->predicted.y == plot->y_of(static_cast<double>(numbers.flops_without_cache)));
      CHECK(plot->counted.y == plot->y_of(static_cast<double>(numbers.flops)));
      CHECK(plot->predicted.y < plot->counted.y);  // more work stands higher
      REQUIRE(plot->ran.size() == 2);
      const auto prompt = std::ssize(of.facts->prompt);
      for (size_t i = 0; i < 2; ++i) {
        const StepFlops same = predicted_flops(of.config(), prompt, of.without_cache[i].context - prompt, false);
        CHECK(plot->ran[i].y == plot->y_of(static_cast<double>(same.new_token + same.scan)));
      }
      for (const Point& point : plot->without_cache) CHECK(plot->box.inset(-0.01f).holds(point));
      for (const Point& point : plot->with_cache) CHECK(plot->box.inset(-0.01f).holds(point));
      CHECK(plot->y_of(plot->lowest) == plot->box.bottom);
      CHECK(plot->y_of(plot->highest) == plot->box.top);
    }
  }

  TEST_CASE("there is no plot where there is no room, at the prompt's end, and in an empty run") {
    const RunView run = four_lanes().view();
    ViewState view = state_of(1024, 700);
    CHECK_FALSE(ghost_plot(run, view, regions_of(view)));
    view = state_of(1440, 900);
    view.panel = false;
    CHECK_FALSE(ghost_plot(run, view, regions_of(view)));
    view = state_of(1440, 900);
    view.step = 0;
    CHECK_FALSE(ghost_plot(run, view, regions_of(view)));
    CHECK_FALSE(ghost_plot({}, view, regions_of(view)));
  }

  TEST_CASE("labels are clear and places distinct in windows of all sizes, with the cache on and off") {
    const FixedMeasure measure;
    for (const auto& window : {std::pair{1440.f, 900.f}, {1100.f, 760.f}, {1024.f, 700.f}, {640.f, 480.f}})
      for (const bool cache : {true, false})
        for (const int size : {-1, 2})
          for (const bool panel : {true, false})
            for (const int64_t step : {0, 1, 20}) {
              const float width = window.first, height = window.second;
              ViewState view = state_of(width, height);
              view.cache_on = cache;
              view.at_size_of = size;
              view.panel = panel;
              view.step = step;
              view.speed = 128;
              CAPTURE(width);
              const Picture picture = draw_transport(four_lanes().view(), view, regions_of(view), measure);
              labels_clear(picture);
              spots_clear(picture, view.window);
            }
  }
}
