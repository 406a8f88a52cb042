// The whole window: its parts fit beside each other in every state and size, and one point has one meaning.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tests/support/growth_cases.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/frame.h"
#include "viewer/draw/keys_overlay.h"
#include "viewer/draw/scrubber.h"
#include "viewer/draw/top_bar.h"

using namespace kv;
using namespace kv::viewer;

namespace {

struct NamedRun {
  const char* name;
  RunView run;
};

// All kinds of runs, recorded once.
const std::vector<NamedRun>& all_runs() {
  static test::RecordedRun four = test::four_models(24), start = test::four_models_at_the_start(),
                           reading = test::four_models_reading(), full = test::four_full_models(),
                           window = test::window_model(20), failing = test::one_failing_lane(8),
                           thirty = test::thirty_layers(6);
  static const std::vector<NamedRun> runs = {
      {"four models", four.view()},
      {"nothing recorded", start.view()},
      {"reading the prompt", reading.view()},
      {"a full cache", full.view()},
      {"a window", window.view()},
      {"a lane that failed", failing.view()},
      {"thirty layers", thirty.view()},
      {"no model", {}},
  };
  return runs;
}

const std::vector<std::pair<float, float>> kSizes = {{1440, 900}, {1024, 700}, {640, 480}};

void check_frame(const RunView& run, const ViewState& view) {
  HeatMaps maps;
  const FixedMeasure measure;
  const Frame frame = draw_frame(run, view, measure, maps);
  labels_clear(frame.picture);
  labels_clear(frame.overlay);
  spots_clear(frame.picture, view.window);
  spots_clear(frame.overlay, view.window);
  std::set<std::string> ids;
  for (const Picture* picture : {&frame.picture, &frame.overlay})
    for (const Spot& spot : picture->spots) CHECK_MESSAGE(ids.insert(spot.id).second, spot.id);
}

// A state that differs from the usual one in one thing.
struct Change {
  const char* name;
  std::function<void(ViewState&)> apply;
};
const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      {"as it is", [](ViewState&) {}},
      {"light", [](ViewState& view) { view.theme = Theme::light; }},
      {"no panel", [](ViewState& view) { view.panel = false; }},
      {"inspector", [](ViewState& view) { view.page = PanelPage::inspector; }},
      {"words", [](ViewState& view) { view.page = PanelPage::words; }},
      {"attention", [](ViewState& view) { view.scene = Scene::attention; }},
      {"attention, the last lane",
       [](ViewState& view) {
         view.scene = Scene::attention;
         view.lane = 3;
       }},
      {"step 0", [](ViewState& view) { view.step = 0; }},
      {"playing",
       [](ViewState& view) {
         view.playing = true;
         view.phase = 0.4;
       }},
      {"zoom",
       [](ViewState& view) {
         view.zoom = Zoom{0, 1};
       }},
      {"the cache off", [](ViewState& view) { view.cache_on = false; }},
      {"by slot", [](ViewState& view) { view.by_slot = true; }},
      {"at a size", [](ViewState& view) { view.at_size_of = 2; }},
      {"keys", [](ViewState& view) { view.keys = true; }},
      {"hovered",
       [](ViewState& view) {
         view.hovered = Cell{0, 0, Role::key, 0, 3, 2};
         view.notice = "The picture was written to kvlab-growth-step-6.png in the folder from which kvlab was started.";
       }},
      {"opening",
       [](ViewState& view) {
         view.opening = "a-model-with-quite-a-long-name-that-does-not-end-soon.gguf";
         view.opening_seconds = 1.3;
       }},
      {"editing the prompt", [](ViewState& view) { view.editing_prompt = true; }},
      {"a long prompt", [](ViewState& view) { view.prompt = std::string(500, 'w'); }},
      {"far out", [](ViewState& view) { view.axis = 1024; }},
  };
  return all;
}

}  // namespace

TEST_SUITE("viewer/draw/frame") {
  TEST_CASE("labels never meet and places are distinct, in every state of every run and in windows of three sizes") {
    for (const NamedRun& named : all_runs())
      for (const Change& change : changes())
        for (const auto& size : kSizes) {
          const auto width = size.first, height = size.second;
          INFO(std::string(named.name), ", ", std::string(change.name), ", ", width, " x ", height);
          ViewState view = view_of(width, height, 6, 64);
          change.apply(view);
          check_frame(named.run, view);
        }
  }

  TEST_CASE("the playhead stands at one x in the scene's ruler and in the scrubber") {
    const RunView& run = all_runs()[0].run;
    const FixedMeasure measure;
    for (const Scene scene : {Scene::growth, Scene::attention})
      for (const int64_t step : {1, 6, 20}) {
        ViewState view = view_of(1440, 900, 6, 64);
        view.scene = scene;
        view.step = step;
        HeatMaps maps;
        const Frame frame = draw_frame(run, view, measure, maps);
        const float x = playhead_x(run, view, frame.regions);
        const std::string count = std::to_string(run.lanes[0].context_at(step));
        bool found = false;
        for (const Label& label : frame.picture.labels())
          if (label.text == count && label.position.y > 300 && label.position.y < frame.regions.transport.top)
            found = found || std::abs(label.box().centre().x - x) < 0.51f;
        CHECK_MESSAGE(found, "no ", count, " under the playhead at ", x);
        CHECK(step_at(run, view, x) == step);
      }
  }

  TEST_CASE("there is a tab for each scene that exists, with the digit that opens it, and the open one is underlined") {
    const FixedMeasure measure;
    for (const Scene scene : {Scene::growth, Scene::attention}) {
      ViewState view = view_of(1440, 900, 6, 64);
      view.scene = scene;
      const TopBar top = draw_top_bar(all_runs()[0].run, view, regions_of(view), measure);
      std::vector<std::string> tabs;
      Rect open;
      for (const Spot& spot : top.picture.spots)
        if (spot.action && std::holds_alternative<action::ShowScene>(*spot.action)) {
          tabs.push_back(spot.id);
          if (std::get<action::ShowScene>(*spot.action).scene == scene) open = spot.box;
        }
      CHECK(tabs == std::vector<std::string>{"tab/Growth", "tab/Attention"});
      int underlines = 0;
      for (const viewer::Shape& shape : top.picture.shapes)
        if (const auto* rect = std::get_if<FilledRect>(&shape); rect && rect->box.height() == 3) {
          ++underlines;
          CHECK(open.holds(rect->box));
        }
      CHECK(underlines == 1);
    }
  }

  TEST_CASE("the prompt is drawn until it is edited; then its field is left to the window") {
    const RunView& run = all_runs()[0].run;
    const FixedMeasure measure;
    HeatMaps maps;
    ViewState view = view_of(1440, 900, 6, 64);
    const auto shows_prompt = [&](const Frame& frame) {
      for (const Label& label : frame.picture.labels())
        if (label.text == test::kViewerPrompt && frame.prompt_field.holds(label.box(), 1)) return true;
      return false;
    };
    CHECK(shows_prompt(draw_frame(run, view, measure, maps)));
    view.editing_prompt = true;
    CHECK_FALSE(shows_prompt(draw_frame(run, view, measure, maps)));
  }

  TEST_CASE("names of models that begin alike are shortened, others are not") {
    CHECK(model_names(all_runs()[0].run) == "austen-mha, -gqa, -mqa, -mla");
    CHECK(model_names(all_runs()[4].run) == "mistral-window");
    CHECK(model_names({}).empty());
  }

  TEST_CASE("a point under a drawer, under the list of keys or outside the scene is no cell") {
    const RunView& run = all_runs()[0].run;
    ViewState view = view_of(1024, 700, 6, 64);
    view.step = 20;
    view.panel = false;
    const Regions open = regions_of(view);
    // Somewhere a cell is drawn: look for one.
    std::optional<Point> on_cell;
    for (float y = open.content.top; y < open.content.bottom && !on_cell; y += 3)
      if (cell_at(run, view, {open.map.left + 4, y})) on_cell = Point{open.map.left + 4, y};
    REQUIRE(on_cell);
    view.keys = true;
    CHECK_FALSE(cell_at(run, view, *on_cell));
    view.keys = false;
    CHECK_FALSE(cell_at(run, view, {on_cell->x, open.transport.top + 5}));
    // A drawer from the map's left on, as in the smallest window.
    ViewState small = view_of(640, 480, 6, 64);
    small.step = 20;
    const Rect drawer = regions_of(small).panel;
    for (float y = drawer.top; y < drawer.bottom; y += 3)
      for (float x = drawer.left + 1; x < drawer.right; x += 20) CHECK_FALSE(cell_at(run, small, {x, y}));
  }

  TEST_CASE("what a drawer covers cannot be clicked") {
    const ViewState view = view_of(640, 480, 6, 64);
    HeatMaps maps;
    const Frame frame = draw_frame(all_runs()[0].run, view, FixedMeasure(), maps);
    REQUIRE(frame.regions.panel_is_drawer);
    for (const Spot& spot : frame.picture.spots) CHECK_MESSAGE(!spot.box.meets(frame.regions.panel), spot.id);
    CHECK_FALSE(frame.overlay.spots.empty());
  }

  TEST_CASE("while the list of keys is open only it can be clicked, and it names every key once") {
    ViewState view = view_of(1024, 700, 6, 64);
    view.keys = true;
    HeatMaps maps;
    const Frame frame = draw_frame(all_runs()[0].run, view, FixedMeasure(), maps);
    CHECK(frame.picture.spots.empty());
    REQUIRE(frame.overlay.spots.size() == 1);
    CHECK(frame.scrubber.area() == 0);
    std::set<std::string> names;
    for (const KeyLine& line : key_lines()) CHECK(names.insert(line.keys).second);
    CHECK(names.size() == 15);
  }

  TEST_CASE("a window without room for a picture says the same in words, of any size and in any state") {
    const FixedMeasure measure;
    const Rect sizes[] = {{0, 0, 639, 480}, {0, 0, 640, 479}, {0, 0, 400, 300}, {0, 0, 200, 150},
                          {0, 0, 90, 900},  {0, 0, 900, 30},  {0, 0, 20, 20},   {0, 0, 1, 1}};
    for (const NamedRun& named : all_runs())
      for (const Change& change : changes())
        for (const Rect& size : sizes) {
          INFO(std::string(named.name), ", ", std::string(change.name), ", ", size.right, " x ", size.bottom);
          ViewState view = view_of(size.right, size.bottom, 6, 64);
          change.apply(view);
          check_frame(named.run, view);
          HeatMaps maps;
          const Frame frame = draw_frame(named.run, view, measure, maps);
          for (const Label& label : frame.picture.labels())
            CHECK_MESSAGE(view.window.holds(label.box(), 0.5f), label.text);
          CHECK(frame.scrubber.area() == 0);
          CHECK_FALSE(cell_at(named.run, view, {10, 60}));
        }
    ViewState view = view_of(400, 300, 6, 64);
    HeatMaps maps;
    const std::vector<Label> labels = draw_frame(all_runs()[0].run, view, measure, maps).picture.labels();
    REQUIRE(labels.size() > 5);
    CHECK(labels.front().text.starts_with("After "));
    CHECK(labels.back().text == "A picture needs 640 x 480.");
    view.panel_scroll = 100;
    CHECK(draw_frame(all_runs()[0].run, view, measure, maps).panel_scroll.at == 100);
  }

  TEST_CASE("a notice stands in the prompt's place, in one line or two, and beside one that is edited") {
    const FixedMeasure measure;
    for (const auto& size : kSizes)
      for (const bool editing : {false, true})
        for (const size_t words : {1u, 12u, 100u}) {
          ViewState view = view_of(size.first, size.second, 6, 64);
          view.editing_prompt = editing;
          for (size_t i = 0; i < words; ++i) view.notice += "wrong ";
          HeatMaps maps;
          const Frame frame = draw_frame(all_runs()[0].run, view, measure, maps);
          labels_clear(frame.overlay);
          const Spot* notice = spot_of(frame.overlay, "notice");
          REQUIRE(notice);
          CHECK(notice->words == view.notice);
          CHECK(notice->box.meets(frame.prompt_field) == !editing);
          const Rect& content = frame.regions.content;
          CHECK(Rect{0, 0, content.right, editing ? content.top + 52 : content.top}.holds(notice->box));
        }
  }

  TEST_CASE("the tip at a cell stays in the window and beside a drawer, wherever the cell is") {
    const RunView& run = all_runs()[0].run;
    const FixedMeasure measure;
    for (const auto& [width, height] : kSizes)
      for (int lane = 0; lane < 3; ++lane)
        for (const int64_t position : {0, 10, 20}) {
          ViewState view = view_of(width, height, 6, 64);
          view.hovered = Cell{lane, 3, Role::value, 0, position, 4};
          view.page = PanelPage::start;
          HeatMaps maps;
          const Frame frame = draw_frame(run, view, measure, maps);
          labels_clear(frame.overlay);
          for (const Label& label : frame.overlay.labels()) CHECK(view.window.holds(label.box()));
        }
  }

  TEST_CASE("what a spot says stands beside the mouse, in the window and clear of all that is in front") {
    const RunView& run = all_runs()[0].run;
    const FixedMeasure measure;
    HeatMaps maps;
    for (const auto& [width, height] : kSizes) {
      ViewState view = view_of(width, height, 6, 64);
      view.notice = "The words of this step are on the clipboard.";
      const Frame without = draw_frame(run, view, measure, maps);
      for (const Spot& spot : without.picture.spots) {
        view.told = Told{spot.words, spot.box.centre()};
        const Frame frame = draw_frame(run, view, measure, maps);
        labels_clear(frame.overlay);
        std::string words;
        const std::vector<Label> labels = frame.overlay.labels();
        for (size_t i = without.overlay.labels().size(); i < labels.size(); ++i) {
          words += (words.empty() ? "" : " ") + labels[i].text;
          CHECK(view.window.holds(labels[i].box()));
        }
        CHECK(words == spot.words);
      }
      view.hovered = Cell{0, 1, Role::key, 0, 3, std::nullopt};  // a cell has more to tell
      for (const Label& label : draw_frame(run, view, measure, maps).overlay.labels())
        CHECK(label.text != view.told->words);
    }
  }

  TEST_CASE("equal states give equal pictures") {
    const RunView& run = all_runs()[0].run;
    const FixedMeasure measure;
    HeatMaps first_maps, second_maps;
    const Frame first = draw_frame(run, view_of(1440, 900, 6, 64), measure, first_maps);
    const Frame second = draw_frame(run, view_of(1440, 900, 6, 64), measure, second_maps);
    REQUIRE(first.picture.shapes.size() == second.picture.shapes.size());
    REQUIRE(first.picture.spots.size() == second.picture.spots.size());
    const std::vector<Label> a = first.picture.labels(), b = second.picture.labels();
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i].text == b[i].text);
      CHECK(a[i].box() == b[i].box());
    }
    for (size_t i = 0; i < first.picture.shapes.size(); ++i)
      if (const auto* rect = std::get_if<FilledRect>(&first.picture.shapes[i]))
        CHECK(rect->box == std::get<FilledRect>(second.picture.shapes[i]).box);
  }
}
