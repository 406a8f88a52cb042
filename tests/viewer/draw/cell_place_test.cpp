// Finding a cell under a point, and finding where a cell is drawn, are each other's inverse.
#include <doctest/doctest.h>

#include "tests/support/viewer_runs.h"
#include "viewer/draw/cell_place.h"
#include "viewer/draw/frame.h"

using namespace kv;
using namespace kv::viewer;

namespace {

// How many points of a grid over the scene lie in the place of the cell that is under them; all must.
int points_in_place(const RunView& run, const ViewState& view) {
  const Regions regions = regions_of(view);
  int found = 0;
  for (float y = regions.content.top + 0.3f; y < regions.content.bottom; y += 3)
    for (float x = regions.map.left + 0.3f; x < regions.map.right; x += 29) {
      const std::optional<Cell> cell = cell_at(run, view, {x, y});
      if (!cell) continue;
      const std::optional<Rect> place = place_of(*cell, run, view, regions);
      REQUIRE(place);
      CHECK_MESSAGE((x >= place->left - 0.01f && x <= place->right + 0.01f), x, " ", y);
      // The attention scene's bars and heads have cells too, drawn in its strip.
      if (view.scene == Scene::growth)
        CHECK_MESSAGE((y >= place->top - 0.01f && y <= place->bottom + 0.01f), x, " ", y);
      ++found;
    }
  return found;
}

ViewState state_of(int64_t step) {
  ViewState view;
  view.window = {0, 0, 1440, 900};
  view.axis = 64;
  view.step = step;
  return view;
}

}  // namespace

TEST_SUITE("viewer/draw/cell_place") {
  TEST_CASE("the place of the cell under a point holds the point: in maps, zooms and strips, by position and by slot") {
    static test::RecordedRun four = test::four_models(24), window = test::window_model(20),
                             thirty = test::thirty_layers(6);
    const RunView run = four.view();
    ViewState view = state_of(20);
    CHECK(points_in_place(run, view) > 500);
    for (const int lane : {0, 3}) {
      view.zoom = Zoom{lane, 2};
      CHECK(points_in_place(run, view) > 200);
    }
    view = state_of(20);
    view.scene = Scene::attention;
    view.lane = 1;
    view.head = 5;
    CHECK(points_in_place(run, view) > 100);
    view = state_of(20);
    CHECK(points_in_place(window.view(), view) > 20);
    view.by_slot = true;
    CHECK(points_in_place(window.view(), view) > 20);
    CHECK(points_in_place(thirty.view(), state_of(6)) > 50);
  }

  TEST_CASE("a cell that is not shown has no place") {
    static test::RecordedRun four = test::four_models(24);
    const RunView run = four.view();
    ViewState view = state_of(20);
    const Cell cell{1, 2, Role::key, 0, 3, std::nullopt};
    CHECK(place_of(cell, run, view, regions_of(view)));
    view.zoom = Zoom{0, 2};  // the other lanes are folded
    CHECK_FALSE(place_of(cell, run, view, regions_of(view)));
    view = state_of(20);
    view.at_size_of = 0;
    CHECK_FALSE(place_of(cell, run, view, regions_of(view)));
    view = state_of(20);
    view.scene = Scene::attention;  // of lane 0
    CHECK_FALSE(place_of(cell, run, view, regions_of(view)));
    CHECK_FALSE(place_of({9, 0, Role::key, 0, 0, std::nullopt}, run, state_of(20), regions_of(view)));
  }
}
