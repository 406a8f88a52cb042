#include "viewer/draw/growth_layout.h"

#include <doctest/doctest.h>

#include "tests/support/growth_cases.h"

using namespace kv::viewer;

namespace {

GrowthLayout layout_of(const std::string& run, float width, float height, double axis) {
  const ViewState view = view_of(width, height, 0, axis);
  return growth_scene_of(growth_run(run).run, view, regions_of(view)).layout;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("growth: four small models at 1440x900 lie where the design put them") {
    const GrowthLayout layout = layout_of("four models", 1440, 900, 128);
    CHECK(layout.u == 4);
    CHECK(layout.unit_values == 32);
    CHECK(layout.layers_per_band == 1);
    CHECK(layout.bytes_per_square_pixel == doctest::Approx(64.0 / (4 * 6)));
    REQUIRE(layout.lanes.size() == 4);
    const LaneLayout &mha = layout.lanes[0], &gqa = layout.lanes[1], &mqa = layout.lanes[2], &mla = layout.lanes[3];
    CHECK(mha.box.top == 122);
    CHECK(mha.text_line == Rect{142, 122, 910, 143});
    REQUIRE(mha.bands.size() == 4);
    CHECK(mha.bands[0].box == Rect{142, 143, 910, 207});  // 8 K strips of 4 px and 8 V strips
    CHECK(mha.bands[1].box.top == 213);                   // a gap of 6
    CHECK(mha.bands[0].strips.size() == 16);
    CHECK(mha.bands[0].strips[7].box == Rect{142, 171, 910, 175});
    CHECK(mha.bands[0].strips[7].role == Role::key);
    CHECK(mha.bands[0].strips[8].role == Role::value);
    CHECK(gqa.bands[0].box.height() == 16);
    CHECK(mqa.bands[0].box.height() == 8);
    CHECK(mla.bands[0].box.height() == 10);
    CHECK(mla.bands[0].strips[0].box.height() == 8);
    CHECK(mla.bands[0].strips[1].box.height() == 2);
    CHECK(gqa.box.top == mha.box.bottom + 16);
    CHECK(mqa.box.height() == 92);
    CHECK(mla.box.bottom == 752);
    CHECK(layout.ruler.top == 756);
    CHECK(mha.readouts.left == 924);
    CHECK(mha.readouts.width() == 208);
  }

  TEST_CASE("growth: strips are as high as their values, by one factor for all lanes") {
    for (const GrowthRun& run : growth_runs())
      for (const auto& [width, height] :
           {std::pair{1440.f, 900.f}, {1024.f, 700.f}, {640.f, 480.f}, {2560.f, 1440.f}}) {
        const ViewState view = view_of(width, height, 0, 64);
        const GrowthLayout layout = growth_scene_of(run.run, view, regions_of(view)).layout;
        for (const LaneLayout& lane : layout.lanes)
          for (const Band& band : lane.bands)
            for (const Strip& strip : band.strips)
              CHECK(static_cast<double>(strip.box.height()) ==
                    doctest::Approx(static_cast<double>(strip.values) / static_cast<double>(layout.unit_values) *
                                    static_cast<double>(layout.u))
                        .epsilon(1e-3));
      }
  }

  TEST_CASE("growth: the strips of a lane hold all values that it stores, once") {
    for (const GrowthRun& run : growth_runs())
      for (const float height : {480.f, 700.f, 900.f}) {
        ViewState view = view_of(1440, height, 0, 64);
        for (view.at_size_of = -1; view.at_size_of < 3; ++view.at_size_of) {
          const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
          for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane) {
            int64_t values = 0, layers = 0;
            for (const Band& band : scene.place(lane).bands) {
              layers += band.layers;
              for (const Strip& strip : band.strips) values += strip.values;
            }
            CHECK(values == scene.lane(lane).config->cache_values_per_token());
            CHECK(layers == scene.lane(lane).config->layers);
          }
        }
      }
  }

  TEST_CASE("growth: every lane is shown and lies within the content, for windows from 640x480 up") {
    for (const GrowthRun& run : growth_runs())
      for (float width = 640; width < 2600; width += 213)
        for (float height = 480; height < 1500; height += 61) {
          ViewState view = view_of(width, height, 0, 64);
          for (view.at_size_of = -1; view.at_size_of < 3; ++view.at_size_of) {
            const Regions regions = regions_of(view);
            const GrowthLayout layout = growth_scene_of(run.run, view, regions).layout;
            float above = layout.sub_line.bottom;
            for (const LaneLayout& lane : layout.lanes) {
              CHECK(lane.shown());
              CHECK(lane.box.top >= above);
              CHECK(lane.bands_box().bottom <= lane.box.bottom + 0.01f);
              above = lane.box.bottom;
            }
            CHECK(layout.ruler.top >= above);
            CHECK(layout.ruler.bottom <= regions.content.bottom + 0.01f);
          }
        }
  }

  TEST_CASE("growth: no strip is thinner than a pixel where heads could be merged, no band thinner than three") {
    for (const GrowthRun& run : growth_runs())
      for (const float height : {480.f, 600.f, 700.f, 900.f}) {
        ViewState view = view_of(1440, height, 0, 64);
        for (view.at_size_of = -1; view.at_size_of < 3; ++view.at_size_of) {
          const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
          for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane)
            for (const Band& band : scene.place(lane).bands) {
              const bool all_layers = band.layers == scene.lane(lane).config->layers;
              const bool remainder = band.layers < scene.layout.layers_per_band;
              if (!all_layers && !remainder) CHECK(band.box.height() >= 2.99f);
              for (const Strip& strip : band.strips)
                if (strip.role == Role::key && strip.heads == 1 && scene.lane(lane).config->kv_heads > 1)
                  CHECK(strip.box.height() >= 0.99f);
            }
        }
      }
  }

  TEST_CASE("growth: many thin layers are drawn together, and the scene says how many") {
    ViewState view = view_of(1440, 900, 4, 64);
    view.at_size_of = 1;  // 80 layers
    const GrowthRun& run = growth_run("four models");
    const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
    REQUIRE(scene.layout.layers_per_band > 1);
    const std::string together = std::to_string(scene.layout.layers_per_band);
    REQUIRE(80 % scene.layout.layers_per_band != 0);  // the last band has fewer
    CHECK(sub_lines_of(scene).front().find("a band is up to " + together + " layers") != std::string::npos);
    view.at_size_of = 0;  // 32 layers
    const GrowthScene even = growth_scene_of(run.run, view, regions_of(view));
    CHECK(sub_lines_of(even).front().find("a band is " + std::to_string(even.layout.layers_per_band) + " layers") !=
          std::string::npos);
    view.at_size_of = 2;  // 61 layers
    const GrowthScene all = growth_scene_of(run.run, view, regions_of(view));
    CHECK(all.layout.layers_per_band == 61);
    CHECK(sub_lines_of(all).front().find("a band is all 61 layers") != std::string::npos);
    CHECK(layout_of("thirty layers", 1440, 900, 64).layers_per_band == 1);
    CHECK(layout_of("thirty layers", 1440, 900, 64).lanes[0].bands.size() == 30);
  }

  TEST_CASE("growth: more lanes than a window has room for are left out whole, and counted") {
    std::vector<LaneShape> lanes;
    const kv::ModelConfig& config = growth_run("four models").run.lanes[0].config();
    for (int i = 0; i < 40; ++i) lanes.push_back({&config, kv::Dtype::bf16});
    const ViewState view = view_of(1440, 900, 0, 64);
    const Regions regions = regions_of(view);
    const GrowthLayout layout = growth_layout_of(lanes, regions, view);
    int shown = 0;
    for (const LaneLayout& lane : layout.lanes) {
      shown += lane.shown();
      if (lane.shown()) CHECK(regions.content.holds(lane.box, 0.01f));
    }
    CHECK(shown > 15);
    CHECK(shown < 40);
  }

  TEST_CASE("growth: lanes of different types share one scale of bytes") {
    const kv::ModelConfig& config = growth_run("four models").run.lanes[0].config();
    const ViewState view = view_of(1440, 900, 0, 64);
    const GrowthLayout layout =
        growth_layout_of({{&config, kv::Dtype::f32}, {&config, kv::Dtype::bf16}}, regions_of(view), view);
    const double tall = static_cast<double>(layout.lanes[0].bands[0].box.height());
    CHECK(tall == doctest::Approx(2 * static_cast<double>(layout.lanes[1].bands[0].box.height())));
    CHECK(tall * layout.axis.token_width() * layout.bytes_per_square_pixel == doctest::Approx(512 * 4));
  }
}
