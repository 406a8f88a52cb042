#include "viewer/draw/zoom.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/growth_cases.h"
#include "viewer/draw/growth_zoom.h"
#include "viewer/session/kv_store.h"

using namespace kv::viewer;

namespace {

GrowthScene zoomed(const std::string& run, int lane, int64_t layer, float width, float height, double axis,
                   ViewState& view, Regions& regions) {
  view = view_of(width, height, 20, axis);
  view.zoom = Zoom{lane, layer};
  regions = regions_of(view);
  return growth_scene_of(growth_run(run).run, view, regions);
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("zoom: a layer of MHA is 512 px high at 1440x900, one pixel a number, the other lanes fold to their text") {
    ViewState view;
    Regions regions;
    const GrowthScene scene = zoomed("four models", 0, 2, 1440, 900, 64, view, regions);
    REQUIRE(scene.layout.zoomed == 0);
    CHECK(scene.layout.value_pixels == 1);
    REQUIRE(scene.place(0).bands.size() == 1);
    CHECK(scene.place(0).bands[0].first_layer == 2);
    CHECK(scene.place(0).bands[0].box.height() == 512);
    CHECK(scene.place(0).bands[0].strips.size() == 16);
    for (int lane = 1; lane < 4; ++lane) {
      CHECK(scene.place(lane).folded);
      CHECK(scene.place(lane).bands.empty());
      CHECK(scene.place(lane).box.height() == 21);
    }
  }

  TEST_CASE("zoom: few numbers are drawn larger, K and V that do not fit above each other stand side by side") {
    ViewState view;
    Regions regions;
    const GrowthScene mqa = zoomed("four models", 2, 0, 1440, 900, 64, view, regions);
    CHECK(mqa.layout.value_pixels == 8);
    const GrowthScene mha = zoomed("four models", 0, 0, 1024, 700, 64, view, regions);
    CHECK(mha.layout.value_pixels == 1);
    const std::vector<Strip>& strips = mha.place(0).bands[0].strips;
    CHECK(strips[0].box.right == strips[8].box.left);
    CHECK(strips[0].box.top == strips[8].box.top);
    const GrowthScene small = zoomed("four models", 0, 0, 640, 480, 64, view, regions);
    CHECK(values_per_row(small.layout) > 1);
  }

  TEST_CASE("zoom: nothing to look at leaves the picture as it was") {
    ViewState view;
    Regions regions;
    CHECK(zoomed("four models", 7, 0, 1440, 900, 64, view, regions).layout.zoomed == -1);
    CHECK(zoomed("four models", 0, 99, 1440, 900, 64, view, regions).layout.zoomed == -1);
    CHECK(zoomed("nothing is open", 0, 0, 1440, 900, 64, view, regions).layout.zoomed == -1);
    CHECK(zoomed("four models", 0, 3, 1440, 900, 64, view, regions).layout.zoomed == 0);
  }

  TEST_CASE("zoom: every texel is the stored number, or the mean of those in its bin") {
    for (const int lane : {0, 2, 3})
      for (const double per_column : {1.0, 3.7})
        for (const int64_t per_row : {int64_t{1}, int64_t{3}}) {
          ViewState view;
          Regions regions;
          const GrowthScene scene = zoomed("four models", lane, 1, 1440, 900, 64, view, regions);
          const LaneView& of = *scene.lane(lane).view;
          const Band& band = scene.place(lane).bands[0];
          const int64_t context = scene.lane(lane).context;
          const ValueMap map = value_map_of(of, band, context, per_column, per_row);
          REQUIRE(map.columns == columns_of(context, per_column));
          int row = 0;
          for (const Strip& strip : band.strips) {
            std::vector<std::vector<float>> vectors;
            for (int64_t position = 0; position < context; ++position)
              vectors.push_back(of.store->vector(1, strip.role, strip.first_head, position));
            for (int64_t first = 0; first < strip.values; first += per_row, ++row)
              for (int column = 0; column < map.columns; ++column) {
                double sum = 0;
                int count = 0;
                const Bin bin = bin_of(column, per_column);
                for (int64_t position = bin.first; position < std::min(bin.last, context); ++position)
                  for (int64_t dim = first; dim < std::min(first + per_row, strip.values); ++dim, ++count)
                    sum += static_cast<double>(vectors[static_cast<size_t>(position)][static_cast<size_t>(dim)]);
                REQUIRE(static_cast<double>(map.at(row, column)) == doctest::Approx(sum / count).epsilon(1e-5));
              }
          }
          CHECK(row == map.rows);
        }
  }

  TEST_CASE("zoom: the legend's ends are the largest absolute number of a role among the tokens shown") {
    ViewState view;
    Regions regions;
    const GrowthScene scene = zoomed("four models", 0, 1, 1440, 900, 64, view, regions);
    const LaneView& of = *scene.lane(0).view;
    const Band& band = scene.place(0).bands[0];
    const ValueMap map = value_map_of(of, band, scene.lane(0).context, 1, 1);
    float largest[2] = {0, 0};
    for (const Strip& strip : band.strips)
      for (int64_t position = 0; position < scene.lane(0).context; ++position)
        for (const float number : of.store->vector(1, strip.role, strip.first_head, position)) {
          float& of_role = largest[strip.role == Role::value];
          of_role = std::max(of_role, std::abs(number));
        }
    CHECK(map.scales.front() == largest[0]);
    CHECK(map.scales.back() == largest[1]);
    HeatMaps maps;
    const Picture picture = draw_growth(growth_run("four models").run, view, regions, kFixedMeasure, maps);
    int found = 0;
    for (const Label& label : picture.labels())
      for (const float end : largest) found += label.text == value_text(end) || label.text == value_text(-end);
    CHECK(found == 4);
  }

  TEST_CASE("zoom: what is kept and continued equals what is baked anew, and zero has no colour") {
    const RunView& run = growth_run("four models").run;
    const Palette& palette = palette_of(Theme::dark);
    ViewState view;
    Regions regions;
    const GrowthScene scene = zoomed("four models", 0, 1, 1440, 900, 64, view, regions);
    const Band& band = scene.place(0).bands[0];
    HeatMaps kept;
    for (const double per_column : {1.0, 2.6})
      for (const int64_t context : {12, 13, 30, 31, 15, 15, 1, 40}) {
        LaneView lane = run.lanes[0];
        lane.tokens = lane.tokens.first(static_cast<size_t>(context));
        HeatMaps fresh;
        const HeatMaps::Values a = kept.values_of(lane, 0, band, context, per_column, 1, palette);
        const HeatMaps::Values b = fresh.values_of(lane, 0, band, context, per_column, 1, palette);
        CHECK(a.image.texels->colours == b.image.texels->colours);
        CHECK(a.map->values == b.map->values);
        CHECK(a.map->scales == b.map->scales);
        const float scale = a.map->scales[0];
        for (int column = 0; column < columns_of(context, per_column); ++column) {
          const double share = static_cast<double>(a.map->at(5, column) / scale);
          const Colour expected = palette.diverging(std::round(share * 255) / 255);
          CHECK(a.image.texels->colours[static_cast<size_t>(5 * a.image.texels->width + column)] == expected.rgba());
        }
      }
    CHECK(palette.diverging(0) == palette.well);
  }

  TEST_CASE("zoom: under the mouse lies the number that is drawn there") {
    for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}, {640.f, 480.f}})
      for (int lane = 0; lane < 4; ++lane) {
        ViewState view;
        Regions regions;
        const GrowthScene scene = zoomed("four models", lane, 1, width, height, 64, view, regions);
        for (const Strip& strip : scene.place(lane).bands[0].strips)
          for (const int64_t dim : {int64_t{0}, strip.values / 2, strip.values - 1})
            for (const int64_t position : {int64_t{0}, int64_t{7}, scene.lane(lane).context - 1}) {
              const TokenAxis axis = scene.layout.axis_of(strip);
              const Point point{(axis.x_of(position) + axis.x_of(position + 1)) / 2,
                                strip.box.top + (static_cast<float>(dim) + 0.5f) * scene.layout.value_pixels};
              const std::optional<Cell> cell = growth_cell_at(growth_run("four models").run, view, regions, point);
              REQUIRE(cell);
              CHECK(*cell == Cell{lane, 1, strip.role, strip.first_head, position, dim});
            }
      }
  }

  TEST_CASE("zoom: each head's rows are named in the colour of their role, and no legend of other colours is there") {
    for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}}) {
      ViewState view;
      Regions regions;
      const GrowthScene scene = zoomed("four models", 0, 1, width, height, 64, view, regions);
      const std::vector<Strip>& strips = scene.place(0).bands[0].strips;
      const bool side_by_side = strips.front().box.left < strips.back().box.left;
      CHECK(side_by_side == (width < 1100));
      HeatMaps maps;
      const Picture picture = draw_growth(growth_run("four models").run, view, regions, kFixedMeasure, maps);
      const auto label_at = [&](const std::string& text, float y) -> const Label* {
        static std::vector<Label> labels;
        labels = picture.labels();
        for (const Label& label : labels)
          if (label.text == text && std::abs(label.position.y - y) < 0.01f) return &label;
        return nullptr;
      };
      const auto check = [&](const std::string& text, float y, Role role) {
        const Label* label = label_at(text, y);
        CHECK_MESSAGE(label, text, " at ", y);
        if (label) CHECK(label->colour == scene.palette.role_text(role));
      };
      if (side_by_side) {
        check("K, 8 heads of 32", strips[0].box.top - 17, Role::key);
        check("V, 8 heads of 32", strips[8].box.top - 17, Role::value);
        for (size_t head = 0; head < 8; ++head) check(std::to_string(head), strips[head].box.top, Role::key);
      } else {
        check("K 0", strips[0].box.top, Role::key);
        check("V 0", strips[8].box.top, Role::value);
        for (size_t head = 1; head < 8; ++head) {
          check(std::to_string(head), strips[head].box.top, Role::key);
          check(std::to_string(head), strips[8 + head].box.top, Role::value);
        }
      }
      // Squares of the roles' colours, 10 px, stand in the sub-line's row of maps that have these colours.
      const auto squares = [&](const Picture& of) {
        return std::count_if(of.shapes.begin(), of.shapes.end(), [&](const Shape& shape) {
          const auto* rect = std::get_if<FilledRect>(&shape);
          return rect && rect->box.width() == 10 && rect->colour == scene.palette.key;
        });
      };
      CHECK(squares(picture) == 0);
      view.zoom.reset();
      CHECK(squares(draw_growth(growth_run("four models").run, view, regions, kFixedMeasure, maps)) == 1);
    }
  }

  TEST_CASE("zoom: a latent and its rope key are named where they begin") {
    ViewState view;
    Regions regions;
    const GrowthScene scene = zoomed("four models", 3, 1, 1440, 900, 64, view, regions);
    HeatMaps maps;
    const Picture picture = draw_growth(growth_run("four models").run, view, regions, kFixedMeasure, maps);
    for (const Strip& strip : scene.place(3).bands[0].strips) {
      bool found = false;
      for (const Label& label : picture.labels())
        found = found || (label.text == name_of(strip.role) && label.position.y == strip.box.top);
      CHECK_MESSAGE(found, std::string(name_of(strip.role)));
    }
  }

  TEST_CASE("zoom: the sub-line says that points are means where more than one number falls on one") {
    ViewState view;
    Regions regions;
    const auto line = [&](int lane, float width, float height, double axis) {
      const GrowthScene scene = zoomed("four models", lane, 1, width, height, axis, view, regions);
      return sub_lines_of(scene).front();
    };
    CHECK(line(0, 1440, 900, 64).starts_with("Layer 1 of MHA, every number that it keeps: violet"));
    CHECK(line(2, 1440, 900, 1536).starts_with("Layer 1 of MQA, means of 2 tokens:"));
    CHECK(line(0, 640, 480, 64).find("numbers:") != std::string::npos);
  }
}
