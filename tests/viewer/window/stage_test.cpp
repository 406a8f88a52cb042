#include "viewer/window/stage.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/support/error_of.h"
#include "tests/support/viewer_runs.h"
#include "viewer/window/key_queue.h"
#include "viewer/window/open_file.h"
#include "viewer/window/pace.h"
#include "viewer/window/wake.h"

using namespace kv::viewer;

namespace {

std::unique_ptr<Session> session_of(const std::vector<std::string>& models, int64_t tokens) {
  SessionSettings settings = kv::test::settings_of(models);
  settings.tokens = tokens;
  auto session = std::make_unique<Session>(load_lanes(settings), settings);
  session->wait_for(tokens);
  return session;
}

// A stage with a short run of two models, all of it recorded.
struct ShortRun {
  explicit ShortRun(int64_t step = 0)
      : stage([step] {
          ViewState view;
          view.step = step;
          return view;
        }()) {
    stage.show(session_of({"austen-gqa", "austen-mla"}, 12));
    stage.advance(0);
  }
  void perform(Action action) {
    stage.perform(action);
    stage.advance(0);
  }
  const ViewState& view() const { return stage.view(); }
  Stage stage;
};

}  // namespace

TEST_SUITE("stage") {
  TEST_CASE("it begins at the step that was asked for") {
    CHECK(ShortRun().view().step == 0);
    CHECK(ShortRun(7).view().step == 7);
    CHECK(ShortRun(500).view().step == 12);  // the run ends before
  }

  TEST_CASE("steps, home and end move the playhead within what is recorded") {
    ShortRun run;
    run.perform(action::StepBy{5});
    CHECK(run.view().step == 5);
    run.perform(action::StepBy{-10});
    CHECK(run.view().step == 0);
    run.perform(action::GoTo{INT64_MAX});
    CHECK(run.view().step == 12);
    run.perform(action::GoTo{3});
    CHECK(run.view().step == 3);
  }

  TEST_CASE("playing goes on at the reader's speed, ends at the end, and begins anew from there") {
    ShortRun run;
    run.perform(action::Faster{2});
    CHECK(run.view().speed == 16);
    run.perform(action::PlayOrPause{});
    CHECK(run.view().playing);
    CHECK(run.stage.animating());
    run.stage.advance(0.25);
    CHECK(run.view().step >= 4);
    for (int i = 0; i < 20; ++i) run.stage.advance(0.25);
    CHECK(run.view().step == 12);
    CHECK_FALSE(run.view().playing);
    CHECK(run.view().notice == "The run ends here: 12 steps were asked for.");
    run.perform(action::PlayOrPause{});
    CHECK(run.view().step <= 1);
  }

  TEST_CASE("lanes, layers and heads stay within the run, whatever is asked for") {
    ShortRun run;
    run.perform(action::SelectLane{9});
    CHECK(run.view().lane == 1);
    run.perform(action::SelectLayer{99});
    CHECK(run.view().layer == 3);
    run.perform(action::SelectHead{-4});
    CHECK(run.view().head == 0);
    run.perform(action::ZoomInto{5, 77});
    CHECK(run.view().zoom == Zoom{1, 3});
    run.perform(action::SelectLane{0});
    CHECK(run.view().zoom == Zoom{0, 3});
    run.perform(action::ZoomOut{});
    CHECK_FALSE(run.view().zoom);
    run.perform(action::ShowAtSizeOf{50});
    CHECK(run.view().at_size_of == 2);
    run.perform(action::ShowAtSizeOf{-1});
    CHECK(run.view().at_size_of == -1);
  }

  TEST_CASE("what is inspected is pinned, and let go by the same click") {
    ShortRun run;
    Cell cell;
    cell.layer = 1;
    cell.position = 2;
    run.perform(action::Inspect{cell});
    CHECK(run.view().pinned == cell);
    CHECK(run.view().page == PanelPage::inspector);
    run.perform(action::Inspect{cell});
    CHECK_FALSE(run.view().pinned);
  }

  TEST_CASE("the side panel's page is scrolled until another is shown") {
    ShortRun run;
    run.perform(action::ScrollPanel{40});
    CHECK(run.view().panel_scroll == 40);
    run.perform(action::StepBy{1});
    CHECK(run.view().panel_scroll == 40);
    run.perform(action::ShowPage{PanelPage::words});
    CHECK(run.view().panel_scroll == 0);
    run.perform(action::ScrollPanel{40});
    run.perform(action::ShowScene{Scene::attention});
    CHECK(run.view().panel_scroll == 0);
    run.perform(action::ScrollPanel{-3});
    CHECK(run.view().panel_scroll == 0);
  }

  TEST_CASE("branching goes to the step of the token that was chosen, and texels of before are forgotten") {
    ShortRun run(4);
    const int32_t token = run.stage.run().lanes[0].steps[4].likeliest[3].token;
    const uint64_t generation = run.stage.generation();
    run.stage.perform(action::Branch{0, token});
    run.stage.session().wait_for(5);
    run.stage.advance(0);
    CHECK(run.view().step == 5);
    CHECK(run.stage.generation() != generation);
    const RunView view = run.stage.run();
    CHECK(view.lanes[0].tokens[static_cast<size_t>(view.lanes[0].steps[5].first_position)] == token);
    run.stage.perform(action::Branch{7, token});  // no such lane
    CHECK(run.view().notice.empty());
  }

  TEST_CASE("another prompt starts the run anew; one that cannot be is told and changes nothing") {
    ShortRun run(4);
    run.stage.restart("\xFF");
    CHECK_FALSE(run.view().notice.empty());
    CHECK(run.view().step == 4);
    run.stage.restart("Mr. Darcy");
    run.stage.session().wait_for(0);
    run.stage.advance(0);
    CHECK(run.view().step == 0);
    CHECK(run.stage.run().prompt == "Mr. Darcy");
  }

  TEST_CASE("a run whose start is refused leaves the one before") {
    ShortRun run(4);
    const auto refuse = [](const RunView&, ViewState&) { throw std::invalid_argument("no"); };
    CHECK_THROWS_AS(run.stage.show(session_of({"austen-mha"}, 2), refuse), std::invalid_argument);
    CHECK(run.stage.run().lanes.size() == 2);
  }

  TEST_CASE("the axis never shrinks by itself, stands still while dragged, glides only while playing") {
    AxisMotion axis;
    CHECK(axis.advance(0.01, 40, {}));
    CHECK(axis.tokens() == 64);
    CHECK_FALSE(axis.advance(0.01, 5, {}));
    CHECK(axis.tokens() == 64);
    CHECK_FALSE(axis.advance(0.01, 500, {.dragging = true}));
    CHECK(axis.tokens() == 64);
    axis.advance(AxisMotion::kGlide / 2, 100, {.playing = true});
    CHECK(axis.tokens() > 64);
    CHECK(axis.tokens() < 128);
    axis.advance(AxisMotion::kGlide, 100, {.playing = true});
    CHECK(axis.tokens() == 128);
    axis.advance(0.001, 200, {.playing = true, .reduced_motion = true});
    CHECK(axis.tokens() == 256);
    axis.fit(40);
    CHECK(axis.tokens() == 64);
  }

  TEST_CASE("frames are drawn when something asks, three after an event, and not faster than allowed") {
    Pace pace(20);
    double now = 10;
    int drawn = 0;
    for (int i = 0; i < 1000; ++i, now += 0.001)
      if (pace.due(now)) pace.drawn(now), ++drawn;
    CHECK(drawn == Pace::kFramesAnEvent);
    CHECK(pace.wait(now, false) == Pace::kIdle);
    CHECK(pace.wait(now, true) == 0);
    for (int i = 0; i < 1000; ++i, now += 0.001) {
      pace.change();
      if (pace.due(now)) pace.drawn(now), ++drawn;
    }
    CHECK(drawn <= Pace::kFramesAnEvent + 20);
    CHECK(drawn >= Pace::kFramesAnEvent + 18);
  }

  TEST_CASE("a key that goes down and up between two frames is down in one and up in the next") {
    constexpr int kReturn = 257, kLetter = 65, kControl = 2;
    KeyQueue keys;
    for (const int action : {1, 0}) keys.push({kReturn, 0, action, 0});
    keys.push({kReturn + 1, 0, 1, 0});
    CHECK(keys.next_frame().size() == 1);
    CHECK(keys.next_frame().size() == 2);
    CHECK(keys.empty());
    for (const int action : {1, 0, 1, 0}) keys.push({kLetter, 0, action, 0});  // fast typing does not lag behind
    CHECK(keys.next_frame().size() == 4);
    for (const int action : {1, 0}) keys.push({kLetter, 0, action, kControl});
    CHECK(keys.next_frame().size() == 1);
    CHECK(keys.next_frame().size() == 1);
    // Ctrl may come up first, and the letter's release then tells of no Ctrl.
    constexpr int kLeftControl = 341;
    keys.push({kLeftControl, 0, 1, 0});
    keys.push({kLetter, 0, 1, kControl});
    keys.push({kLeftControl, 0, 0, kControl});
    keys.push({kLetter, 0, 0, 0});
    CHECK(keys.next_frame().size() == 2);
    CHECK(keys.next_frame().size() == 2);
    // Shift and a letter are text.
    constexpr int kLeftShift = 340, kShift = 1;
    keys.push({kLeftShift, 0, 1, 0});
    for (const int action : {1, 0}) keys.push({kLetter, 0, action, kShift});
    CHECK(keys.next_frame().size() == 3);
    CHECK(keys.empty());
  }

  TEST_CASE("a file that is no model is one sentence, and what was given up never comes") {
    std::atomic<int> woken = 0;
    OpenFile opening([&] { ++woken; });
    CHECK_FALSE(opening.take());
    opening.start("x", []() -> std::unique_ptr<Session> { throw std::runtime_error("it is\nno model"); });
    CHECK(opening.busy());
    std::optional<OpenFile::Result> result;
    while (!(result = opening.take())) std::this_thread::yield();
    CHECK(sentence_of(result->failure) == "it is no model");
    CHECK_FALSE(opening.busy());
    opening.start("y", [] { return std::unique_ptr<Session>(); });
    opening.give_up();
    CHECK_FALSE(opening.busy());
    CHECK_FALSE(opening.take());
  }

  TEST_CASE("what a spot says stays where it was first said, until the mouse is on another or on none") {
    Stage stage{ViewState{}};
    CHECK_FALSE(stage.tell("", {1, 1}));
    CHECK(stage.tell("a band", {10, 20}));
    CHECK_FALSE(stage.tell("a band", {15, 25}));
    REQUIRE(stage.view().told);
    CHECK(stage.view().told->words == "a band");
    CHECK(stage.view().told->at.x == 10);
    CHECK(stage.tell("a tip", {15, 25}));
    CHECK(stage.view().told->at.x == 15);
    CHECK(stage.tell("", {15, 25}));
    CHECK_FALSE(stage.view().told);
  }

  TEST_CASE("a dropped path is named after the model") {
    CHECK(model_of_path("/models/austen-gqa/config.json").path == "/models/austen-gqa");
    CHECK(model_of_path("/models/austen-gqa/config.json").name == "austen-gqa");
    CHECK(model_of_path("/models/austen-gqa/").name == "austen-gqa");
    CHECK(model_of_path("/models/small.gguf").name == "small");
    CHECK(model_of_path("/models/small.gguf").path == "/models/small.gguf");
  }

  TEST_CASE("a run that outlives its window wakes nobody") {
    int posted = 0;
    std::function<void()> call;
    {
      Wake wake([&] { ++posted; });
      call = wake.caller();
      call();
      CHECK(posted == 1);
      CHECK(wake.take());
      CHECK_FALSE(wake.take());
    }
    call();
    CHECK(posted == 1);
  }
}
