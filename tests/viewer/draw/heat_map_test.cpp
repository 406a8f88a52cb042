#include "viewer/draw/heat_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/growth_cases.h"
#include "viewer/session/kv_store.h"

using namespace kv::viewer;

namespace {

// A lane as it was after `context` tokens.
LaneView lane_at(const LaneView& lane, int64_t context) {
  LaneView then = lane;
  then.tokens = lane.tokens.first(static_cast<size_t>(context));
  return then;
}

LaneLayout place_of(const std::string& run, int lane, float height, double axis) {
  const ViewState view = view_of(1440, height, 0, axis);
  return growth_scene_of(growth_run(run).run, view, regions_of(view)).place(lane);
}

std::vector<Strip> strips_of(const LaneLayout& layout) {
  std::vector<Strip> strips;
  for (const Band& band : layout.bands) strips.insert(strips.end(), band.strips.begin(), band.strips.end());
  return strips;
}

// The texels of a pure bake, for comparison.
std::vector<uint32_t> baked_anew(const LaneView& lane, const LaneLayout& layout, int64_t context, double per_column,
                                 const Palette& palette) {
  HeatMaps maps;
  return maps.image_of(lane, 0, layout, context, per_column, palette).texels->colours;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("heat map: bins cover all tokens once, whatever their width") {
    for (const double per_column : {1.0, 4.0 / 3, 1.5, 2.0, 8192.0 / 768, 1.0 / 0.75, 1.207}) {
      int64_t next = 0;
      for (int64_t column = 0; column < 900; ++column) {
        const Bin bin = bin_of(column, per_column);
        CHECK(bin.first == next);
        CHECK(bin.last > bin.first);
        next = bin.last;
      }
      for (int64_t context = 1; context < 300; ++context) {
        const int64_t columns = columns_of(context, per_column);
        CHECK(bin_of(columns - 1, per_column).first < context);
        CHECK(bin_of(columns - 1, per_column).last >= context);
      }
    }
    CHECK(columns_of(0, 1) == 0);
    CHECK(bin_of(3, 4.0 / 3).first == 4);
    CHECK(tokens_per_column({0, 768, 128}) == 1);
    CHECK(tokens_per_column({0, 768, 1024}) == doctest::Approx(4.0 / 3));
  }

  TEST_CASE("heat map: strengths are means of RMS over the layer's largest, cell by cell") {
    for (const std::string name : {"four models", "thirty layers", "a window"})
      for (const float height : {900.f, 480.f})
        for (const double per_column : {1.0, 4.0 / 3, 5.5}) {
          const RunView& run = growth_run(name).run;
          for (int index = 0; index < static_cast<int>(run.lanes.size()); ++index) {
            const LaneView& lane = run.lanes[static_cast<size_t>(index)];
            const LaneLayout layout = place_of(name, index, height, 64);
            const int64_t context = lane.context_at(lane.last_step()) - 1;
            const HeatMap map = heat_map_of(lane, layout, context, per_column);
            const std::vector<Strip> strips = strips_of(layout);
            REQUIRE(map.rows == std::ssize(strips));
            REQUIRE(map.columns == columns_of(context, per_column));
            for (int row = 0; row < map.rows; ++row)
              for (int column = 0; column < map.columns; ++column) {
                const Strip& strip = strips[static_cast<size_t>(row)];
                double sum = 0;
                int64_t count = 0;
                const Bin bin = bin_of(column, per_column);
                for (int64_t position = bin.first; position < std::min(bin.last, context); ++position)
                  for (int64_t layer = strip.first_layer; layer < strip.first_layer + strip.layers; ++layer)
                    for (int64_t head = strip.first_head; head < strip.first_head + strip.heads; ++head, ++count)
                      sum += static_cast<double>(lane.store->rms(layer, strip.role, head, position)) /
                             static_cast<double>(lane.store->largest_rms(layer, strip.role, context));
                REQUIRE(static_cast<double>(map.at(row, column)) ==
                        doctest::Approx(sum / static_cast<double>(count)).epsilon(1e-5));
              }
          }
        }
  }

  TEST_CASE("heat map: the strongest vector of a layer has the strength 1, and none has more") {
    const RunView& run = growth_run("four models").run;
    const LaneLayout layout = place_of("four models", 0, 900, 64);
    const int64_t context = run.lanes[0].context_at(40);
    const HeatMap map = heat_map_of(run.lanes[0], layout, context, 1);
    float largest = 0;
    for (int row = 0; row < 8; ++row)  // K of layer 0
      for (int column = 0; column < map.columns; ++column) largest = std::max(largest, map.at(row, column));
    CHECK(largest == 1);
    CHECK(*std::max_element(map.strengths.begin(), map.strengths.end()) == 1);
  }

  TEST_CASE("heat map: a texel has the shade of its strength, every second head a tenth darker") {
    const RunView& run = growth_run("four models").run;
    const LaneLayout layout = place_of("four models", 0, 900, 64);
    const int64_t context = run.lanes[0].context_at(40);
    const HeatMap map = heat_map_of(run.lanes[0], layout, context, 1);
    const std::vector<Strip> strips = strips_of(layout);
    HeatMaps maps;
    for (const Theme theme : {Theme::dark, Theme::light}) {
      const Palette& palette = palette_of(theme);
      const Image image = maps.image_of(run.lanes[0], 0, layout, context, 1, palette);
      for (int row = 0; row < map.rows; ++row)
        for (int column = 0; column < map.columns; ++column) {
          const Strip& strip = strips[static_cast<size_t>(row)];
          // The nearest of 256 shades.
          const double strength = std::floor(static_cast<double>(map.at(row, column)) * 255 + 0.5) / 255;
          Colour expected = palette.shade(strip.role, strength);
          if (strip.first_head % 2 == 1) expected = mix(expected, Colour{}, 0.10);
          CHECK(image.texels->colours[static_cast<size_t>(row * image.texels->width + column)] == expected.rgba());
        }
    }
  }

  TEST_CASE("heat map: the values of a head span more than what sets it apart from the next") {
    const RunView& run = growth_run("four models").run;
    for (const Theme theme : {Theme::dark, Theme::light}) {
      const Palette& palette = palette_of(theme);
      for (int lane = 0; lane < 3; ++lane) {
        const LaneLayout layout = place_of("four models", lane, 900, 64);
        const int64_t context = run.lanes[static_cast<size_t>(lane)].context_at(40);
        const HeatMap map = heat_map_of(run.lanes[static_cast<size_t>(lane)], layout, context, 1);
        const std::vector<Strip> strips = strips_of(layout);
        for (const Role role : {Role::key, Role::value}) {
          double weakest = 1, strongest = 0;
          for (int row = 0; row < map.rows; ++row)
            for (int column = 0; column < map.columns && strips[static_cast<size_t>(row)].role == role; ++column) {
              weakest = std::min(weakest, static_cast<double>(map.at(row, column)));
              strongest = std::max(strongest, static_cast<double>(map.at(row, column)));
            }
          const Colour middle = palette.shade(role, (weakest + strongest) / 2);
          CAPTURE(static_cast<int>(theme));
          CAPTURE(lane);
          CHECK(contrast(palette.shade(role, weakest), palette.shade(role, strongest)) >
                contrast(middle, mix(middle, Colour{}, 0.10)));
        }
      }
    }
  }

  TEST_CASE("heat map: what is kept and continued equals what is baked anew, forward, backward and in other colours") {
    const RunView& run = growth_run("four models").run;
    for (const int index : {0, 3})
      for (const double per_column : {1.0, 4.0 / 3, 5.5}) {
        const LaneView& lane = run.lanes[static_cast<size_t>(index)];
        const LaneLayout layout = place_of("four models", index, 900, 64);
        HeatMaps maps;
        const Palette *dark = &palette_of(Theme::dark), *light = &palette_of(Theme::light);
        const Palette* palette = dark;
        int checks = 0;
        const int64_t last = lane.context_at(lane.last_step());
        for (const int64_t context : {int64_t{20}, int64_t{21}, int64_t{22}, int64_t{40}, int64_t{25}, int64_t{25},
                                      int64_t{1}, last, last - 1}) {
          if (++checks == 6) palette = light;
          const LaneView then = lane_at(lane, context);
          const Image image = maps.image_of(then, index, layout, context, per_column, *palette);
          CHECK(image.texels->colours == baked_anew(then, layout, context, per_column, *palette));
        }
      }
  }

  TEST_CASE("heat map: the version changes with the texels and only then") {
    const LaneView& lane = growth_run("four models").run.lanes[1];
    const LaneLayout layout = place_of("four models", 1, 900, 64);
    HeatMaps maps;
    const Palette& palette = palette_of(Theme::dark);
    const uint64_t first = maps.image_of(lane, 1, layout, 20, 1, palette).version;
    CHECK(maps.image_of(lane, 1, layout, 20, 1, palette).version == first);
    CHECK(maps.image_of(lane, 1, layout, 21, 1, palette).version != first);
    CHECK(maps.image_of(lane, 1, layout, 21, 1, palette_of(Theme::light)).version != first);
  }

  TEST_CASE("heat map: after a branch the texels are those of the new tokens") {
    kv::test::RecordedRun run(load_lanes(kv::test::settings_of({"austen-gqa"})), kv::test::kViewerPrompt);
    run.record_to(12);
    HeatMaps maps;
    const Palette& palette = palette_of(Theme::dark);
    const ViewState view = view_of(1440, 900, 12, 32);
    const LaneLayout layout = growth_scene_of(run.view(), view, regions_of(view)).place(0);
    const int64_t context = run.view().lanes[0].context_at(12);
    const std::vector<uint32_t> before =
        maps.image_of(run.view().lanes[0], 0, layout, context, 1, palette).texels->colours;
    run.recorder(0).branch(4, run.view().lanes[0].steps[4].likeliest[2].token);
    run.record_to(12);
    const LaneView lane = run.view().lanes[0];
    const Image after = maps.image_of(lane, 0, layout, context, 1, palette);
    CHECK(after.texels->colours != before);
    CHECK(after.texels->colours == baked_anew(lane, layout, context, 1, palette));
  }
}
