#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/growth_cases.h"

using namespace kv::viewer;

namespace {

// The filled areas of a lane as they are drawn: texels at full strength.
double drawn_area(const Picture& picture, const Rect& lane) {
  double area = 0;
  for (const Shape& shape : picture.shapes)
    if (const auto* image = std::get_if<Image>(&shape);
        image && lane.holds(image->box, 0.5f) && image->tint.alpha == 255)
      area += static_cast<double>(image->box.area());
  return area;
}

double filled_area(const GrowthScene& scene, int lane) {
  double area = 0;
  for (const Band& band : scene.place(lane).bands)
    for (const Strip& strip : band.strips)
      for (const Rect& box : filled_areas(scene, lane, strip)) area += static_cast<double>(box.area());
  return area;
}

// Bytes of a column of one pixel.
double pixel_column(const GrowthScene& scene, int lane) {
  double height = 0;
  for (const Band& band : scene.place(lane).bands) height += static_cast<double>(band.box.height());
  return height * scene.layout.bytes_per_square_pixel;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("growth: the filled area is the bytes that are stored, for every step, lane, axis and window size") {
    size_t checked = 0;
    for (const GrowthRun& run : growth_runs())
      for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}, {640.f, 480.f}})
        for (int64_t step = 0; step <= run.last_step; step += step < 6 ? 1 : 7)
          for (const double axis : {64.0, 90.5, 1024.0}) {
            const ViewState view = view_of(width, height, step, axis);
            const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
            HeatMaps maps;
            const Picture picture = draw_growth(run.run, view, regions_of(view), kFixedMeasure, maps);
            for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane) {
              const LaneView& of = run.run.lanes[static_cast<size_t>(lane)];
              if (static_cast<double>(of.context_at(step)) > axis) continue;  // the window always shows all
              const auto bytes =
                  static_cast<double>(of.config().cache_bytes(of.context_at(step), of.facts->cache_dtype));
              CAPTURE(words_of_case(run, view));
              CAPTURE(lane);
              const double column = pixel_column(scene, lane);
              CHECK(std::abs(filled_area(scene, lane) * scene.layout.bytes_per_square_pixel - bytes) <= column);
              CHECK(std::abs(drawn_area(picture, scene.place(lane).box) * scene.layout.bytes_per_square_pixel -
                             bytes) <= column);
              ++checked;
            }
          }
    CHECK(checked > 1000);
  }

  TEST_CASE("growth: at the size of a larger model the filled area is what it would store") {
    const GrowthRun& run = growth_run("four models");
    for (int size = 0; size < 3; ++size)
      for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}}) {
        ViewState view = view_of(width, height, 30, 64);
        view.at_size_of = size;
        const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
        REQUIRE(scene.lanes.size() == 4);
        const int64_t context = run.run.lanes.front().context_at(30);
        for (int lane = 0; lane < 4; ++lane) {
          const SizeOf& of = sizes_to_compare()[static_cast<size_t>(size)];
          const auto bytes =
              static_cast<double>(of.variants[static_cast<size_t>(lane)].cache_bytes(context, kv::Dtype::bf16));
          CHECK(std::abs(filled_area(scene, lane) * scene.layout.bytes_per_square_pixel - bytes) <=
                pixel_column(scene, lane));
        }
      }
  }

  TEST_CASE("growth: by slot the same bytes are filled as by position") {
    const GrowthRun& run = growth_run("a window");
    for (int64_t step = 0; step <= run.last_step; ++step) {
      ViewState view = view_of(1440, 900, step, 64);
      const GrowthScene by_position = growth_scene_of(run.run, view, regions_of(view));
      view.by_slot = true;
      const GrowthScene by_slot = growth_scene_of(run.run, view, regions_of(view));
      CHECK(filled_area(by_slot, 0) == doctest::Approx(filled_area(by_position, 0)).epsilon(1e-5));
    }
  }

  TEST_CASE("growth: without the cache nothing is filled, with it in a zoom just the layer that is shown") {
    const GrowthRun& run = growth_run("four models");
    ViewState view = view_of(1440, 900, 20, 64);
    view.cache_on = false;
    const GrowthScene off = growth_scene_of(run.run, view, regions_of(view));
    HeatMaps maps;
    CHECK(drawn_area(draw_growth(run.run, view, regions_of(view), kFixedMeasure, maps), off.place(0).box) == 0);
    CHECK(filled_area(off, 0) == 0);
    view.cache_on = true;
    for (int lane = 0; lane < 4; ++lane)
      for (const float width : {1440.f, 1024.f, 640.f}) {
        view.window = {0, 0, width, width == 640 ? 480.f : width == 1024 ? 700.f : 900.f};
        view.zoom = Zoom{lane, 2};
        const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
        REQUIRE(scene.layout.zoomed == lane);
        const kv::ModelConfig& config = run.run.lanes[static_cast<size_t>(lane)].config();
        const int64_t context = run.run.lanes.front().context_at(20);
        const auto bytes = static_cast<double>(config.layer_cache[2].values_per_token() * context * 2);
        CHECK(filled_area(scene, lane) * scene.layout.bytes_per_square_pixel == doctest::Approx(bytes).epsilon(1e-4));
      }
  }

  TEST_CASE("growth: the area key's square has the area of its bytes and is 13 to 26 px wide") {
    // A number of two bytes takes at most 56 x 8 px, in the widest window and zoom.
    for (double per_pixel = 2.0 / (56 * 8); per_pixel < 1e9; per_pixel *= 1.37) {
      const AreaKey key = area_key_of(per_pixel);
      CHECK(static_cast<double>(key.side) * static_cast<double>(key.side) * per_pixel ==
            doctest::Approx(static_cast<double>(key.bytes)).epsilon(1e-4));
      CHECK(key.side <= 26.0001f);
      if (key.bytes > 1) CHECK(key.side > 12.999f);
    }
    CHECK(area_key_of(64.0 / (6 * 4)).bytes == 1024);  // 32 bf16 values in 6 x 4 px, as in the picture of 112 tokens
    CHECK(area_key_of(64.0 / (24 * 4)).bytes == 256);
    CHECK(area_key_of(64.0 / (0.75 * 4)).bytes == 4096);
  }
}
