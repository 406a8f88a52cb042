#include <doctest/doctest.h>

#include "tests/support/fixed_measure.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/attention.h"

using namespace kv::viewer;
using namespace kv::test;

namespace {

const FixedMeasure kMeasure;

// The scene in windows of all sizes: its texts are clear of each other and its places are in order.
void check_all_windows(const RunView& run, ViewState view) {
  view.scene = Scene::attention;
  constexpr Point kSizes[] = {{1440, 900}, {1024, 700}, {640, 480}, {2560, 1400}, {800, 900}};
  for (const Point size : kSizes)
    for (const bool panel : {true, false}) {
      view.window = {0, 0, size.x, size.y};
      view.panel = panel;
      const Regions regions = regions_of(view);
      const Picture picture = draw_attention(run, view, regions, kMeasure);
      CAPTURE(size.x);
      CAPTURE(size.y);
      CAPTURE(panel);
      labels_clear(picture);
      spots_clear(picture, regions.content);
      for (const Label& label : picture.labels()) CHECK(regions.content.holds(label.box(), 0.5f));
    }
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("attention: labels are clear in all windows for all four models, early and late") {
    static RecordedRun recorded = four_models(110);
    const RunView run = recorded.view();
    for (int lane = 0; lane < 4; ++lane)
      for (const auto& shown : {std::pair{0, 32.0}, {8, 32.0}, {40, 64.0}, {110, 128.0}, {110, 4096.0}}) {
        const int step = shown.first;
        const double axis = shown.second;
        ViewState view;
        view.lane = lane;
        view.step = step;
        view.axis = axis;
        view.layer = lane;
        view.head = 2 * lane + 1;
        CAPTURE(lane);
        CAPTURE(step);
        check_all_windows(run, view);
        view.cache_on = false;
        view.form = kv::cpu::LatentForm::materialised;
        check_all_windows(run, view);
      }
  }

  TEST_CASE("attention: labels are clear while nothing is recorded, and while the prompt is read") {
    check_all_windows({}, {});
    check_all_windows(four_models_at_the_start().view(), {});
    check_all_windows(four_models_reading().view(), {});
  }

  TEST_CASE("attention: labels are clear when the cache is full, and beside a lane that failed") {
    ViewState view;
    view.step = 50;
    check_all_windows(four_full_models().view(), view);
    RecordedRun failing = one_failing_lane();
    for (int lane = 0; lane < 4; ++lane) {
      view.lane = lane;
      view.step = 10;
      check_all_windows(failing.view(), view);
    }
  }

  TEST_CASE("attention: labels are clear past a window, by position and by slot, without a tokenizer") {
    RecordedRun recorded = window_model(60);
    ViewState view;
    view.axis = 128;
    for (const int64_t step : {2, 60})
      for (const bool by_slot : {false, true}) {
        view.step = step;
        view.by_slot = by_slot;
        check_all_windows(recorded.view(), view);
      }
  }

  TEST_CASE("attention: labels are clear with thirty layers, with many heads, and with long names") {
    RecordedRun thirty = thirty_layers();
    ViewState view;
    view.step = 6;
    for (const int64_t layer : {0, 9, 29, 30}) {
      view.layer = layer;
      check_all_windows(thirty.view(), view);
    }
    for (const int64_t heads : {32, 128}) {
      kv::ModelConfig config = tiny_heads(heads, heads / 4, 4);
      config.name = "many-heads";
      auto facts = std::make_shared<LaneFacts>(*random_lane(config));
      facts->label = "a-model-with-a-very-long-name-indeed";
      RecordedRun many({facts, facts, facts, facts}, "5,17,3,42,8");
      many.record_to(3);
      view.step = 3;
      view.layer = 2;
      for (const int64_t head : {int64_t{0}, heads / 2, heads - 1}) {
        view.head = head;
        check_all_windows(many.view(), view);
      }
    }
  }

  TEST_CASE("attention: labels are clear with long tokens, and with those that no font can draw") {
    static const std::string kPrompt = "Notwithstanding\n\n\xF0\x9F\x98\x80\xF0\x9F\x98\x80 acknowledged, \x01\x02";
    RecordedRun odd = four_models(3, kPrompt);
    ViewState view;
    view.step = 3;
    for (int lane = 0; lane < 4; ++lane) {
      view.lane = lane;
      check_all_windows(odd.view(), view);
    }
  }
}
