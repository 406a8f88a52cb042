// The scrubber: bars are FLOPs, and the playhead stands where the maps have their newest column.
#include <doctest/doctest.h>

#include "tests/support/fixed_measure.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/scrubber.h"
#include "viewer/session/lane_numbers.h"

using namespace kv;
using namespace kv::viewer;

namespace {

const RunView& four_lanes() {
  static test::RecordedRun run = test::four_models(24);
  static const RunView view = run.view();
  return view;
}

ViewState state_of(float width, float height, double axis, int64_t step) {
  ViewState view;
  view.window = {0, 0, width, height};
  view.axis = axis;
  view.step = step;
  return view;
}

int64_t prompt_of(const RunView& run) { return std::ssize(run.lanes[0].facts->prompt); }

}  // namespace

TEST_SUITE("viewer/draw/scrubber") {
  TEST_CASE("the playhead stands at the right edge of the newest token's column, at every step") {
    const RunView& run = four_lanes();
    for (int64_t step = 0; step <= 24; ++step) {
      const ViewState view = state_of(1440, 900, 64, step);
      const Regions regions = regions_of(view);
      const TokenAxis axis{regions.map.left, regions.map.width(), 64};
      CHECK(playhead_x(run, view, regions) == axis.x_of(prompt_of(run) + step));
    }
  }

  TEST_CASE("a drag to where the playhead stands asks for the step that is shown, at all steps, axes and sizes") {
    const RunView& run = four_lanes();
    for (const double axis : {64.0, 77.5, 128.0, 1024.0, 8192.0})
      for (const float width : {640.f, 1024.f, 1440.f, 2560.f})
        for (int64_t step = 0; step <= 24; ++step) {
          const ViewState view = state_of(width, 800, axis, step);
          const Regions regions = regions_of(view);
          CHECK(step_at_x(run, view, regions, playhead_x(run, view, regions)) == step);
        }
  }

  TEST_CASE("a drag beyond both ends stops at the prompt's end and at the last recorded step") {
    const RunView& run = four_lanes();
    const ViewState view = state_of(1440, 900, 64, 3);
    const Regions regions = regions_of(view);
    CHECK(step_at_x(run, view, regions, -1000) == 0);
    CHECK(step_at_x(run, view, regions, regions.map.left) == 0);
    CHECK(step_at_x(run, view, regions, 5000) == 24);
  }

  TEST_CASE("a bar is as high as the counted FLOPs of its step, for the new token below and the scan above") {
    const RunView& run = four_lanes();
    for (int lane = 0; lane < 4; ++lane) {
      ViewState view = state_of(1440, 900, 64, 10);
      view.lane = lane;
      const ScrubberBars bars = scrubber_bars(run, view, regions_of(view));
      REQUIRE(bars.bars.size() == static_cast<size_t>(64 - prompt_of(run)));
      for (int64_t step = 1; step <= 24; ++step) {
        const StepBar& bar = bars.bars[static_cast<size_t>(step - 1)];
        const LaneNumbers numbers = numbers_of(run.lanes[static_cast<size_t>(lane)], step);
        CHECK(bar.step == step);
        CHECK(bar.ahead == (step > 10));
        CHECK(bar.new_token.height() * bars.flops_a_pixel ==
              doctest::Approx(static_cast<double>(numbers.new_token_flops)).epsilon(1e-4));
        CHECK((bar.new_token.height() + bar.scan.height()) * bars.flops_a_pixel ==
              doctest::Approx(static_cast<double>(numbers.flops)).epsilon(1e-4));
        CHECK(bar.scan.bottom == bar.new_token.top);
      }
    }
  }

  TEST_CASE("the prompt's block is as high as its FLOPs where they fit, and else is cut") {
    const RunView& run = four_lanes();
    ViewState view = state_of(1440, 900, 64, 10);
    const Regions regions = regions_of(view);
    const Rect box = scrubber_box(regions);
    CHECK(scrubber_bars(run, view, regions).prompt_is_cut);
    CHECK(scrubber_bars(run, view, regions).prompt.height() == box.height());
    view.cache_on = false;
    const ScrubberBars bars = scrubber_bars(run, view, regions);
    CHECK_FALSE(bars.prompt_is_cut);
    CHECK(bars.prompt.bottom == box.bottom);
    CHECK(bars.prompt.height() * bars.flops_a_pixel ==
          doctest::Approx(static_cast<double>(numbers_of(run.lanes[0], 0).flops)).epsilon(1e-4));
    CHECK(bars.prompt.height() < bars.bars[0].new_token.height() + bars.bars[0].scan.height());
  }

  TEST_CASE("bars stand on the token axis: each covers its token's column, but for the gap") {
    const RunView& run = four_lanes();
    const ViewState view = state_of(1440, 900, 64, 10);
    const Regions regions = regions_of(view);
    const TokenAxis axis = token_axis_of(view, regions);
    for (const StepBar& bar : scrubber_bars(run, view, regions).bars) {
      CHECK(bar.new_token.left == axis.x_of(prompt_of(run) + bar.step - 1));
      CHECK(bar.new_token.right == axis.x_of(prompt_of(run) + bar.step) - 1);
    }
    CHECK(scrubber_bars(run, view, regions).prompt.right == axis.x_of(prompt_of(run)));
  }

  TEST_CASE("where steps are narrower than a pixel, a bar is a pixel and shows the step in its middle") {
    const RunView& run = four_lanes();
    const ViewState view = state_of(1440, 900, 1024, 10);
    const Regions regions = regions_of(view);
    const ScrubberBars bars = scrubber_bars(run, view, regions);
    REQUIRE(bars.bars.size() <= static_cast<size_t>(regions.map.width()));
    REQUIRE(bars.bars.size() > 700);
    const TokenAxis axis = token_axis_of(view, regions);
    for (size_t i = 0; i < bars.bars.size(); ++i) {
      const StepBar& bar = bars.bars[i];
      const int64_t context = prompt_of(run) + bar.step;
      CHECK(axis.x_of(context - 1) <= bar.new_token.left + 0.75f);
      CHECK(axis.x_of(context) >= bar.new_token.left + 0.25f);
      if (i > 0) CHECK(bar.step >= bars.bars[i - 1].step);
    }
  }

  TEST_CASE("with the cache off a bar is what the step takes without it") {
    const RunView& run = four_lanes();
    ViewState view = state_of(1440, 900, 64, 24);
    view.cache_on = false;
    const ScrubberBars bars = scrubber_bars(run, view, regions_of(view));
    for (int64_t step = 1; step <= 24; ++step) {
      const StepBar& bar = bars.bars[static_cast<size_t>(step - 1)];
      CHECK((bar.new_token.height() + bar.scan.height()) * bars.flops_a_pixel ==
            doctest::Approx(static_cast<double>(numbers_of(run.lanes[0], step).flops_without_cache)).epsilon(1e-4));
    }
  }

  TEST_CASE("nothing lies ahead of a lane that has stopped, nor beyond its capacity") {
    static test::RecordedRun full = test::four_full_models();
    const RunView run = full.view();
    const ViewState view = state_of(1440, 900, 64, 4);
    const ScrubberBars bars = scrubber_bars(run, view, regions_of(view));
    REQUIRE_FALSE(bars.bars.empty());
    CHECK(bars.bars.back().step == run.lanes[0].last_step());
    CHECK(prompt_of(run) + bars.bars.back().step == run.lanes[0].facts->capacity);
  }

  TEST_CASE("while the prompt is read its block fills, and there is no step to drag to but the first") {
    static test::RecordedRun reading = test::four_models_reading();
    const RunView run = reading.view();
    REQUIRE(run.lanes[0].steps.empty());
    const ViewState view = state_of(1440, 900, 512, 0);
    const Regions regions = regions_of(view);
    const ScrubberBars bars = scrubber_bars(run, view, regions);
    const TokenAxis axis = token_axis_of(view, regions);
    CHECK(bars.read == axis.x_of(run.lanes[0].prompt_read));
    CHECK(bars.read < bars.prompt.right);
    CHECK(playhead_x(run, view, regions) == bars.read);
    CHECK(step_at_x(run, view, regions, 800) == 0);
  }

  TEST_CASE("an empty run has a scrubber without bars") {
    const ViewState view = state_of(1440, 900, 32, 0);
    const Regions regions = regions_of(view);
    CHECK(scrubber_bars({}, view, regions).bars.empty());
    CHECK(step_at_x({}, view, regions, 500) == 0);
    CHECK(playhead_x({}, view, regions) == regions.map.left);
  }

  TEST_CASE("the prompt's block says what it took where there is room, and labels are clear") {
    const RunView& run = four_lanes();
    const FixedMeasure measure;
    const auto says = [&](double axis) {
      const ViewState view = state_of(1440, 900, axis, 4);
      const Picture picture = draw_scrubber(run, view, regions_of(view), measure);
      labels_clear(picture);
      for (const Label& label : picture.labels())
        if (label.text == "prefill") return true;
      return false;
    };
    CHECK(says(32));
    CHECK(says(128));
    CHECK_FALSE(says(1024));
  }
}
