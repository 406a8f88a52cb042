#include "viewer/draw/growth_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/growth_cases.h"
#include "viewer/draw/growth_marks.h"
#include "viewer/draw/scrubber.h"
#include "viewer/draw/sharing_glyph.h"
#include "viewer/session/attention_view.h"
#include "viewer/session/number_text.h"

using namespace kv::viewer;

namespace {

// Where the newest column's line or outline ends, of all marks of a lane.
std::vector<float> newest_right_edges(const GrowthScene& scene, int lane) {
  std::vector<float> edges;
  for (const Shape& shape : draw_newest(scene, lane).shapes) {
    if (const auto* line = std::get_if<FilledRect>(&shape)) edges.push_back(line->box.centre().x);
    if (const auto* box = std::get_if<OutlinedRect>(&shape)) edges.push_back(box->box.right + scene.layout.axis.gap());
  }
  return edges;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("growth: the playhead is at one x in all maps, in the ruler and in the scrubber") {
    const GrowthRun& run = growth_run("four models");
    HeatMaps maps;
    for (int64_t step = 0; step <= run.last_step; step += 3)
      for (const double axis : {128.0, 181.0, 1024.0, 8192.0}) {
        const ViewState view = view_of(1440, 900, step, axis);
        const Regions regions = regions_of(view);
        const GrowthScene scene = growth_scene_of(run.run, view, regions);
        const float x = scene.layout.axis.x_of(run.run.lanes[0].context_at(step));
        CHECK(playhead_x(run.run, view, regions) == doctest::Approx(x));
        for (int lane = 0; lane < 4; ++lane) {
          const std::vector<float> edges = newest_right_edges(scene, lane);
          REQUIRE(!edges.empty());
          for (const float edge : edges) CHECK(edge == doctest::Approx(x).epsilon(1e-4));
        }
        const Picture ruler = draw_ruler(scene, kFixedMeasure);
        const std::string count = with_commas(run.run.lanes[0].context_at(step));
        const std::vector<Label> labels = ruler.labels();
        const auto label = std::find_if(labels.begin(), labels.end(), [&](const Label& of) {
          return of.text == count && of.font.face == Face::semibold;
        });
        REQUIRE(label != labels.end());
        const float room = label->width / 2;
        const float expected = std::clamp(x, scene.layout.axis.left + room, scene.layout.axis.left + 768 - room);
        CHECK(label->box().centre().x == doctest::Approx(expected).epsilon(1e-4));
      }
  }

  TEST_CASE("growth: under every column lies the cell that is drawn there, and beyond the newest one none") {
    for (const std::string name : {"four models", "thirty layers", "one lane failed"}) {
      const GrowthRun& run = growth_run(name);
      for (const float height : {900.f, 480.f}) {
        const ViewState view = view_of(1440, height, run.last_step, 128);
        const Regions regions = regions_of(view);
        const GrowthScene scene = growth_scene_of(run.run, view, regions);
        for (int lane = 0; lane < static_cast<int>(scene.lanes.size()); ++lane)
          for (const Band& band : scene.place(lane).bands)
            for (const Strip& strip : band.strips) {
              for (int64_t position = 0; position < scene.lane(lane).context; position += 5) {
                const float x = (scene.layout.axis.x_of(position) + scene.layout.axis.x_of(position + 1)) / 2;
                const int64_t vectors = strip.layers * strip.heads;
                for (int64_t i = 0; i < vectors; ++i) {
                  const float y =
                      strip.box.top + strip.box.height() * (static_cast<float>(i) + 0.5f) / static_cast<float>(vectors);
                  const std::optional<Cell> cell = growth_cell_at(run.run, view, regions, {x, y});
                  REQUIRE(cell);
                  CHECK(*cell == Cell{lane, strip.first_layer + i / strip.heads, strip.role,
                                      strip.first_head + i % strip.heads, position, std::nullopt});
                }
              }
              const float beyond = scene.layout.axis.x_of(scene.lane(lane).context) + 1;
              CHECK_FALSE(growth_cell_at(run.run, view, regions, {beyond, strip.box.centre().y}));
            }
      }
    }
  }

  TEST_CASE("growth: by slot each filled column holds the position that the model's own ring holds there") {
    const GrowthRun& run = growth_run("a window");
    const LaneView& lane = run.run.lanes[0];
    for (int64_t step = 0; step <= run.last_step; ++step) {
      ViewState view = view_of(1440, 900, step, 64);
      view.by_slot = true;
      const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
      for (const Band& band : scene.place(0).bands)
        for (const Strip& strip : band.strips) {
          const int64_t context = scene.lane(0).context;
          const std::vector<int64_t> ring = positions_by_slot(layout_of(*lane.facts), strip.first_layer, context);
          const std::vector<FillSpan> spans = spans_of(scene.lane(0), strip, true);
          REQUIRE(ring_of(scene.lane(0), strip) == std::ssize(ring));
          int64_t kept = 0;
          for (int64_t slot = 0; slot < std::ssize(ring); ++slot) {
            const std::optional<int64_t> position = kept_position(spans, slot);
            if (!position) continue;
            CHECK(*position == ring[static_cast<size_t>(slot)]);
            ++kept;
          }
          CHECK(kept == std::min(context, strip.window));
          CHECK(kept_position(spans, newest_column(scene.lane(0), strip, true)) == context - 1);
        }
    }
  }

  TEST_CASE("growth: by position a window keeps its last positions, and what it has lost is an outline before them") {
    const GrowthRun& run = growth_run("a window");
    const ViewState view = view_of(1440, 900, 20, 32);
    const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
    const int64_t context = scene.lane(0).context;
    const Strip& strip = scene.place(0).bands[0].strips[0];
    REQUIRE(strip.window == 5);
    const std::vector<FillSpan> expected = {{0, 0, context - 5, false}, {context - 5, context - 5, 5, true}};
    CHECK(spans_of(scene.lane(0), strip, false) == expected);
    CHECK_FALSE(growth_cell_at(run.run, view, regions_of(view), {scene.layout.axis.x_of(3) + 1, strip.box.centre().y}));
    HeatMaps maps;
    int outlines = 0;
    for (const Shape& shape : draw_map(scene, 0, kFixedMeasure, maps).shapes)
      if (const auto* outline = std::get_if<OutlinedRect>(&shape))
        outlines += std::abs(outline->box.width() - static_cast<float>(context - 5) * 24) < 2;
    CHECK(outlines == 3 * 4);
  }

  TEST_CASE("growth: the newest column flashes while it plays, and neither paused nor with reduced motion") {
    const GrowthRun& run = growth_run("four models");
    const auto flashes = [&](ViewState view) {
      return draw_flash(growth_scene_of(run.run, view, regions_of(view)), 0).shapes.size();
    };
    ViewState view = view_of(1440, 900, 20, 64);
    view.speed = 2;
    view.phase = 0.1;
    CHECK(flashes(view) == 0);
    view.playing = true;
    CHECK(flashes(view) == 4 * 16);
    view.phase = 0.51;  // more than 250 ms at 2 steps a second
    CHECK(flashes(view) == 0);
    view.speed = 8;  // a step is over before its column has settled: the one before is still bright
    CHECK(flashes(view) == 2 * 4 * 16);
    view.reduced_motion = true;
    CHECK(flashes(view) == 0);
  }

  TEST_CASE("growth: columns have gaps from 8 px on") {
    const GrowthRun& run = growth_run("four models");
    const auto gaps = [&](double axis) {
      const ViewState view = view_of(1440, 900, 10, axis);
      const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
      size_t narrow = 0;
      for (const Shape& shape : draw_gaps(scene, 0).shapes)
        narrow += std::get<FilledRect>(shape).box.width() == doctest::Approx(1) &&
                  std::get<FilledRect>(shape).box.height() > 100;
      return narrow;
    };
    CHECK(gaps(64) == static_cast<size_t>(run.run.lanes[0].context_at(10)));
    CHECK(gaps(128) == 0);
  }

  TEST_CASE("sharing glyph: a dot reads the K and V of its query head's group, and many heads are thinned out alike") {
    const auto sharing = [](int lane) {
      return sharing_of(growth_run("four models").run.lanes[static_cast<size_t>(lane)].config());
    };
    CHECK(sharing(0).shared == 8);
    CHECK(sharing(1).shared == 2);
    CHECK(sharing(2).shared == 1);
    CHECK(sharing(3).latent);
    for (int64_t dot = 0; dot < 8; ++dot) {
      CHECK(sharing(0).shared_of(dot) == dot);
      CHECK(sharing(1).shared_of(dot) == dot / 4);
      CHECK(sharing(2).shared_of(dot) == 0);
    }
    for (const SizeOf& size : sizes_to_compare())
      for (const kv::ModelConfig& config : size.variants) {
        const SharingGlyph glyph = sharing_of(config);
        CHECK(glyph.dots == config.heads);
        if (config.kv_heads * 4 == config.heads) CHECK(glyph.dots == 4 * glyph.shared);
        const Rect box{20, 10, 20 + kGlyphWidth, 10 + kGlyphHeight};
        for (const Shape& shape : draw_sharing_glyph(config, box, palette_of(Theme::dark)).shapes) {
          if (const auto* rect = std::get_if<FilledRect>(&shape)) CHECK(box.holds(rect->box, 0.5f));
          if (const auto* circle = std::get_if<FilledCircle>(&shape)) CHECK(box.holds(circle->centre));
        }
      }
  }
}
