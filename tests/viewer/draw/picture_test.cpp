#include "viewer/draw/picture.h"

#include <doctest/doctest.h>

#include "viewer/draw/regions.h"

using namespace kv::viewer;

namespace {

struct EightPixels : TextMeasure {
  float width(Font, std::string_view text) const override { return 8 * static_cast<float>(text.size()); }
  bool can_draw(std::string_view) const override { return true; }
};

ViewState state_of(float width, float height, bool panel) {
  ViewState state;
  state.window = {0, 0, width, height};
  state.panel = panel;
  return state;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("a text's box is where it was written, for all three alignments") {
    Picture picture;
    const EightPixels measure;
    const Rect region{0, 0, 200, 100};
    CHECK(picture.text({100, 10}, "four", {}, {}, region, measure) == Rect{100, 10, 132, 26});
    CHECK(picture.text({100, 10}, "four", {}, {}, region, measure, Align::centre) == Rect{84, 10, 116, 26});
    CHECK(picture.text({100, 10}, "four", {}, {}, region, measure, Align::right) == Rect{68, 10, 100, 26});
    CHECK(picture.labels().size() == 3);
    CHECK(picture.labels()[2].box() == Rect{68, 10, 100, 26});
  }

  TEST_CASE("a dotted line stays between its ends") {
    Picture picture;
    picture.dotted({0, 0}, {0, 9}, {});
    REQUIRE(picture.shapes.size() == 2);
    const auto& last = std::get<Polyline>(picture.shapes[1]);
    CHECK(last.points[0] == Point{0, 5});
    CHECK(last.points[1] == Point{0, 7.5f});
  }

  TEST_CASE("rectangles know what they hold and what they meet") {
    const Rect a{0, 0, 10, 10};
    CHECK(a.holds(Point{0, 0}));
    CHECK_FALSE(a.holds(Point{10, 5}));
    CHECK(a.meets({9, 9, 20, 20}));
    CHECK_FALSE(a.meets({10, 0, 20, 10}));
    CHECK(a.holds(Rect{1, 1, 10, 10}));
    CHECK_FALSE(a.holds(Rect{1, 1, 11, 10}));
  }

  TEST_CASE("a window is divided as the design says: the map is 768 px wide beside the panel, 1,024 without") {
    const Regions with = regions_of(state_of(1440, 900, true));
    CHECK(with.map == Rect{142, 48, 910, 792});
    CHECK(with.readouts == Rect{924, 48, 1132, 792});
    CHECK(with.panel == Rect{1144, 48, 1440, 792});
    CHECK(with.transport == Rect{0, 792, 1440, 900});
    CHECK_FALSE(with.panel_is_drawer);
    const Regions without = regions_of(state_of(1440, 900, false));
    CHECK(without.map.width() == 1024);
    CHECK(without.panel.width() == 0);
  }

  TEST_CASE("in every window from 640x480 up names, map and readouts lie beside each other inside the content") {
    for (float width = 640; width <= 4000; width += 37)
      for (const bool panel : {false, true}) {
        const Regions r = regions_of(state_of(width, 700, panel));
        CHECK(r.map.left >= r.names.right);
        CHECK(r.readouts.left > r.map.right);
        CHECK(r.readouts.right <= r.content.right);
        CHECK(r.names.left >= r.content.left);
        CHECK(static_cast<int>(r.map.width()) % 128 == 0);
        if (panel && !r.panel_is_drawer) {
          CHECK(r.content.right < r.panel.left);
        }
      }
    CHECK(regions_of(state_of(1, 1, true)).map.width() == 256);  // a smaller window is drawn as 640x480 and cut
  }
}
