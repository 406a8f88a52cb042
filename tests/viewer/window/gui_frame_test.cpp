#include "viewer/window/gui_frame.h"

#include <doctest/doctest.h>

#include "tests/support/imgui_frame.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "tests/viewer/window/states.h"
#include "viewer/window/focus.h"
#include "viewer/window/run_fonts.h"

using namespace kv::viewer;
using kv::test::RecordedRun;

namespace {

constexpr Rect kWindow = {0, 0, 1440, 900};

struct NamedRun {
  std::string name;
  RecordedRun run;
};

std::vector<NamedRun> runs() {
  std::vector<NamedRun> all;
  all.push_back({"four models", kv::test::four_models(20)});
  all.push_back({"nothing recorded", kv::test::four_models_at_the_start()});
  all.push_back({"reading the prompt", kv::test::four_models_reading()});
  all.push_back({"full caches", kv::test::four_full_models()});
  all.push_back({"a window", kv::test::window_model()});
  all.push_back({"thirty layers", kv::test::thirty_layers()});
  all.push_back({"a failed lane", kv::test::one_failing_lane()});
  return all;
}

// A frame of two spots, one within the other, and one that only tells.
Frame small_frame() {
  Frame frame;
  frame.regions.content = {0, 0, 400, 200};
  frame.regions.transport = {0, 200, 400, 300};
  frame.scrubber = {0, 200, 400, 250};
  frame.picture.spot("lane", {0, 0, 300, 100}, "a lane", action::SelectLane{1});
  frame.picture.spot("band", {50, 20, 250, 60}, "a band", action::ZoomInto{1, 2});
  frame.picture.spot("tip", {100, 30, 150, 50}, "a tip");
  return frame;
}

ViewState small_view() {
  ViewState view;
  view.window = {0, 0, 400, 300};
  return view;
}

}  // namespace

TEST_SUITE("window") {
  TEST_CASE("every scene, page and state draws two frames, with spots that are unique and inside") {
    for (const NamedRun& named : runs()) {
      CAPTURE(named.name);
      const RunView run = named.run.view();
      GuiWithoutWindow window{fonts_for(run)};
      HeatMaps maps;
      for (const NamedView& state : views_of(run, kWindow, Theme::dark)) {
        CAPTURE(state.name);
        for (int i = 0; i < 2; ++i) {
          const Frame frame = draw_frame(run, state.view, window.gui.fonts(), maps);
          window.show(frame, state.view, Point{400, 250});
          CHECK(window.vertices() > 1000);
          if (i == 0) spots_clear(frame.picture, kWindow);
        }
      }
    }
  }

  TEST_CASE("with the real fonts no labels meet, none leaves its region, and each character can be drawn") {
    const RecordedRun recorded = kv::test::four_models(20);
    const RunView run = recorded.view();
    for (const float scale : {1.f, 2.f}) {
      GuiWithoutWindow window(fonts_for(run), scale);
      HeatMaps maps;
      for (const Theme theme : {Theme::dark, Theme::light}) {
        for (const Rect size : {kWindow, Rect{0, 0, 1024, 700}}) {
          for (const NamedView& state : views_of(run, size, theme)) {
            CAPTURE(state.name);
            CAPTURE(scale);
            CAPTURE(size.right);
            const Frame frame = draw_frame(run, state.view, window.gui.fonts(), maps);
            // A drawer and what stands in front cover the scene: each picture is clear in itself.
            if (!frame.regions.panel_is_drawer || !state.view.panel) labels_clear(frame.picture);
            labels_clear(frame.overlay);
            for (const Label& label : frame.picture.labels())
              CHECK_MESSAGE(window.gui.fonts().can_draw(label.text), label.text);
          }
        }
      }
    }
  }

  TEST_CASE("the innermost spot with an action takes the click, and one that only tells lets it through") {
    GuiWithoutWindow window{Fonts({}, "")};
    const Frame frame = small_frame();
    const auto clicked = [&](Point at) { return window.click(frame, small_view(), at).action; };
    const auto inner = clicked({120, 40});
    REQUIRE(inner);
    CHECK(std::get<action::ZoomInto>(*inner).layer == 2);
    const auto outer = clicked({20, 80});
    REQUIRE(outer);
    CHECK(std::get<action::SelectLane>(*outer).lane == 1);
    CHECK_FALSE(clicked({350, 150}));
    CHECK(window.show(frame, small_view(), Point{120, 40}).words == "a tip");
    CHECK(window.show(frame, small_view(), Point{60, 30}).words == "a band");
    CHECK(window.show(frame, small_view()).words.empty());
  }

  TEST_CASE("what lies under the mouse can be told in every frame, also on a spot that is clicked") {
    GuiWithoutWindow window{Fonts({}, "")};
    const Frame frame = small_frame();
    for (int i = 0; i < 4; ++i) CHECK(window.show(frame, small_view(), Point{60, 30}).mouse == Point{60, 30});
    // What stands in front covers it.
    Frame behind = small_frame();
    behind.overlay.spot("notice", {0, 0, 100, 100}, "a notice", action::ToggleKeys{});
    for (int i = 0; i < 2; ++i) CHECK_FALSE(window.show(behind, small_view(), Point{60, 30}).mouse);
  }

  TEST_CASE("the playhead is held while the button is down, also beyond the scrubber") {
    GuiWithoutWindow window{Fonts({}, "")};
    const Frame frame = small_frame();
    CHECK_FALSE(window.show(frame, small_view(), Point{100, 220}).scrub_to);
    CHECK(window.show(frame, small_view(), Point{100, 220}, true).scrub_to == 100.f);
    CHECK(window.show(frame, small_view(), Point{180, 20}, true).scrub_to == 180.f);
    CHECK_FALSE(window.show(frame, small_view(), Point{180, 20}, false).scrub_to);
  }

  TEST_CASE("a click where no spot asks for anything is a click on the scene") {
    GuiWithoutWindow window{Fonts({}, "")};
    const Frame frame = small_frame();
    window.show(frame, small_view(), Point{350, 150});
    const Touched touched = window.show(frame, small_view(), Point{350, 150}, true);
    CHECK(touched.clicked);
    CHECK(touched.mouse == Point{350, 150});
    window.show(frame, small_view(), Point{350, 150}, false);
    CHECK_FALSE(window.show(frame, small_view(), Point{120, 40}, true).clicked);
  }

  TEST_CASE("the wheel turns the side panel's page, within it and over it alone; Page Up and Down turn it anywhere") {
    GuiWithoutWindow window{Fonts({}, "")};
    Frame frame = small_frame();
    frame.panel_scroll = {{300, 0, 400, 200}, 500, 20};
    const auto wheeled = [&](Point at, float by) {
      ImGui::GetIO().MouseWheel = by;
      return window.show(frame, small_view(), at).turned;
    };
    const auto to = [](const std::optional<Action>& action) { return std::get<action::ScrollPanel>(*action).to; };
    CHECK_FALSE(wheeled({350, 100}, 0));
    CHECK(to(wheeled({350, 100}, -1)) == 20 + 3 * kScrollLine);
    CHECK(to(wheeled({350, 100}, 1)) == 0);
    CHECK(to(wheeled({350, 100}, -50)) == 300);
    CHECK_FALSE(wheeled({250, 100}, -1));
    Focus focus;
    std::optional<Action> action;
    CHECK(focus.take({Key::page_down}, frame, action));
    CHECK(to(action) == 20 + 200 - kScrollLine);
    CHECK(focus.take({Key::page_up}, frame, action));
    CHECK(to(action) == 0);
    frame.panel_scroll = {{300, 0, 400, 200}, 150, 0};  // all of it is shown
    CHECK_FALSE(wheeled({350, 100}, -1));
    CHECK(focus.take({Key::page_down}, frame, action));
    CHECK_FALSE(action);
  }

  TEST_CASE("F6 goes through the regions, Enter goes in, arrows and Tab move, Esc leaves") {
    const Frame frame = small_frame();
    Focus focus;
    std::optional<Action> action;
    const auto press = [&](Key key, bool shift = false) { return focus.take({key, shift}, frame, action); };
    CHECK_FALSE(press(Key::enter));
    CHECK(press(Key::f6));
    CHECK(focus.area() == Area::scene);  // the frame has no top bar
    CHECK_FALSE(press(Key::right));      // outside, arrows still step
    CHECK(press(Key::enter));
    CHECK(focus.spot(frame)->id == "lane");
    CHECK(press(Key::tab));
    CHECK(focus.spot(frame)->id == "band");
    CHECK(press(Key::enter));
    REQUIRE(action);
    CHECK(std::holds_alternative<action::ZoomInto>(*action));
    CHECK(press(Key::tab, true));
    CHECK(focus.spot(frame)->id == "lane");
    CHECK(press(Key::up));
    CHECK(focus.spot(frame)->id == "band");  // its middle lies higher
    CHECK(press(Key::escape));
    CHECK_FALSE(focus.inside());
    CHECK(press(Key::f6));
    CHECK(focus.area() == Area::transport);
    CHECK(press(Key::f6, true));
    CHECK(focus.area() == Area::scene);
    CHECK(press(Key::escape));
    CHECK_FALSE(press(Key::escape));
    CHECK_FALSE(focus.box(frame));
  }
}
