#include <doctest/doctest.h>

#include "tests/support/growth_cases.h"
#include "tests/support/picture_check.h"

using namespace kv::viewer;

namespace {

struct Size {
  float width, height;
};

void check_all(Size size) {
  for (const GrowthRun& run : growth_runs()) {
    HeatMaps maps;
    for_each_view(run, size.width, size.height, [&](const ViewState& view) {
      const Regions regions = regions_of(view);
      const Picture picture = draw_growth(run.run, view, regions, kFixedMeasure, maps);
      const std::string wrong = labels_unclear(picture) + spots_unclear(picture, regions.content);
      CHECK_MESSAGE(wrong.empty(), words_of_case(run, view) << "\n" << wrong);
      for (const Label& label : picture.labels())
        CHECK_MESSAGE(regions.content.holds(label.box(), 4.5f), words_of_case(run, view) << "\n" << at(label));
    });
  }
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("growth: no two texts meet and none leaves its place, in any state, at 1440x900") {
    check_all({1440, 900});
  }
  TEST_CASE("growth: no two texts meet and none leaves its place, in any state, at 1024x700") {
    check_all({1024, 700});
  }
  TEST_CASE("growth: no two texts meet and none leaves its place, in any state, at 640x480") { check_all({640, 480}); }

  TEST_CASE("growth: in windows of every size the texts of four lanes are clear") {
    const GrowthRun& run = growth_run("four models");
    HeatMaps maps;
    for (float width = 640; width <= 2000; width += 151)
      for (float height = 480; height <= 1300; height += 97) {
        const ViewState view = view_of(width, height, 12, 32);
        const Picture picture = draw_growth(run.run, view, regions_of(view), kFixedMeasure, maps);
        const std::string wrong = labels_unclear(picture);
        CHECK_MESSAGE(wrong.empty(), words_of_case(run, view) << "\n" << wrong);
      }
  }

  TEST_CASE("growth: equal input gives equal pictures, whatever was drawn before") {
    const GrowthRun& run = growth_run("four models");
    HeatMaps used, fresh;
    const ViewState other = view_of(1440, 900, 50, 128), view = view_of(1440, 900, 20, 64);
    draw_growth(run.run, other, regions_of(other), kFixedMeasure, used);
    const Picture a = draw_growth(run.run, view, regions_of(view), kFixedMeasure, used);
    const Picture b = draw_growth(run.run, view, regions_of(view), kFixedMeasure, fresh);
    REQUIRE(a.shapes.size() == b.shapes.size());
    size_t images = 0;
    for (size_t i = 0; i < a.shapes.size(); ++i) {
      REQUIRE(a.shapes[i].index() == b.shapes[i].index());
      if (const auto* image = std::get_if<Image>(&a.shapes[i])) {
        const auto& other_image = std::get<Image>(b.shapes[i]);
        ++images;
        CHECK(image->box == other_image.box);
        CHECK(image->part == other_image.part);
        CHECK(image->texels->colours == other_image.texels->colours);
      } else if (const auto* rect = std::get_if<FilledRect>(&a.shapes[i])) {
        CHECK(rect->box == std::get<FilledRect>(b.shapes[i]).box);
        CHECK(rect->colour == std::get<FilledRect>(b.shapes[i]).colour);
      } else if (const auto* label = std::get_if<Label>(&a.shapes[i])) {
        CHECK(label->text == std::get<Label>(b.shapes[i]).text);
        CHECK(label->position == std::get<Label>(b.shapes[i]).position);
      }
    }
    CHECK(images == 4 * (16 + 4 + 2 + 2));
  }
}
