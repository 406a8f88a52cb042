// The side panel: three pages, whose words and numbers are those of the run.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/fixed_measure.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/side_panel.h"
#include "viewer/draw/start_page.h"
#include "viewer/draw/words.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

namespace {

test::RecordedRun& four_lanes() {
  static test::RecordedRun run = test::four_models(12);
  return run;
}

ViewState state_of(float width, float height, PanelPage page) {
  ViewState view;
  view.window = {0, 0, width, height};
  view.axis = 64;
  view.step = 9;
  view.page = page;
  return view;
}

}  // namespace

TEST_SUITE("viewer/draw/side_panel") {
  TEST_CASE("the start page is three paragraphs with this run's own numbers") {
    const RunView run = four_lanes().view();
    const std::vector<std::string> paragraphs = start_page_paragraphs(run);
    REQUIRE(paragraphs.size() == 3);
    int64_t weights = 0, cache = 0;
    for (const LaneView& lane : run.lanes) {
      weights = std::max(weights, numbers_of(lane, lane.last_step()).weight_bytes);
      cache = std::max(cache, lane.config().cache_bytes(lane.facts->capacity, lane.facts->cache_dtype));
    }
    CHECK(paragraphs[2].find(bytes_text(weights)) != std::string::npos);
    CHECK(paragraphs[2].find(bytes_text(cache)) != std::string::npos);
    CHECK(paragraphs[2].find("hardly differ") != std::string::npos);
    CHECK(paragraphs[0].find("latent") != std::string::npos);
  }

  TEST_CASE("a single model without latents is not told about lanes that hardly differ, nor about latents") {
    static test::RecordedRun window = test::window_model(3);
    const std::vector<std::string> paragraphs = start_page_paragraphs(window.view());
    CHECK(paragraphs[0].starts_with("A model writes on"));
    CHECK(paragraphs[0].find("latent") == std::string::npos);
    CHECK(paragraphs[2].find("hardly differ") == std::string::npos);
  }

  TEST_CASE("each page has its tab, and only the chosen one is drawn") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    for (const PanelPage page : {PanelPage::start, PanelPage::inspector, PanelPage::words}) {
      const ViewState view = state_of(1440, 900, page);
      const Picture picture = draw_side_panel(run, view, regions_of(view), measure).picture;
      int tabs = 0;
      for (const Spot& spot : picture.spots)
        if (spot.action && std::holds_alternative<action::ShowPage>(*spot.action)) ++tabs;
      CHECK(tabs == 3);
      bool title = false;
      for (const Label& label : picture.labels()) title = title || label.text == "What grows?";
      CHECK(title == (page == PanelPage::start));
    }
  }

  TEST_CASE("the words page begins with the words that scripts get, and can be copied") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    const ViewState view = state_of(1440, 900, PanelPage::words);
    const Picture picture = draw_side_panel(run, view, regions_of(view), measure).picture;
    std::string drawn;
    for (const Label& label : picture.labels())
      if (label.position.y > 90 && label.font == fonts::kSmall) drawn += (drawn.empty() ? "" : " ") + label.text;
    const std::string first = paragraphs_of(run, view).front();
    CHECK(drawn.starts_with(first));
    CHECK(std::any_of(picture.spots.begin(), picture.spots.end(), [](const Spot& spot) {
      return spot.action && std::holds_alternative<action::CopyWords>(*spot.action);
    }));
  }

  TEST_CASE("scrolled to its end and back, the words page shows every line of all words once") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    for (const float height : {900.f, 480.f}) {
      ViewState view = state_of(1440, height, PanelPage::words);
      const Regions regions = regions_of(view);
      std::vector<std::string> seen, all;
      for (const std::string& paragraph : paragraphs_of(run, view))
        for (const std::string& line : wrapped(shown(paragraph, measure), fonts::kSmall, 252, measure))
          all.push_back(line);
      const Scroll whole = draw_side_panel(run, view, regions, measure).scroll;
      REQUIRE(whole.needed());
      CHECK(whole.at == 0);
      for (view.panel_scroll = 0;; view.panel_scroll += 1) {  // a line at a time comes to the top, and is read there
        const SidePanel panel = draw_side_panel(run, view, regions, measure);
        labels_clear(panel.picture);
        CHECK(panel.scroll.height == whole.height);
        CHECK(panel.scroll.at == std::min(view.panel_scroll, whole.most()));
        std::vector<std::string> lines;
        for (const Label& label : panel.picture.labels())
          if (label.font == fonts::kSmall && panel.scroll.box.holds(label.box())) {
            CHECK(panel.scroll.box.holds(label.box(), 0.5f));
            lines.push_back(label.text);
            const float top = label.position.y - panel.scroll.box.top;
            if (lines.size() == 1 && top < 1) seen.push_back(label.text);
          }
        REQUIRE_FALSE(lines.empty());
        if (view.panel_scroll <= whole.most()) continue;
        seen.insert(seen.end(), lines.begin(), lines.end());
        break;
      }
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      CHECK(seen.size() >= all.size());
      for (const std::string& line : all) CHECK_MESSAGE(std::count(seen.begin(), seen.end(), line) > 0, line);
    }
  }

  TEST_CASE("a mark beside the page says how much of it is shown, and where; a page that fits has none") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    const auto mark = [&](const SidePanel& panel) {
      std::optional<Rect> found;
      for (const viewer::Shape& shape : panel.picture.shapes)
        if (const auto* rect = std::get_if<FilledRect>(&shape); rect && rect->box.left > panel.scroll.box.right)
          found = rect->box;
      return found;
    };
    ViewState view = state_of(1440, 900, PanelPage::words);
    const auto first = mark(draw_side_panel(run, view, regions_of(view), measure));
    REQUIRE(first);
    view.panel_scroll = 1e6f;
    const SidePanel end = draw_side_panel(run, view, regions_of(view), measure);
    const auto last = mark(end);
    REQUIRE(last);
    CHECK(first->top == end.scroll.box.top);
    CHECK(last->bottom == doctest::Approx(end.scroll.box.bottom));
    CHECK(last->height() / end.scroll.box.height() == doctest::Approx(end.scroll.box.height() / end.scroll.height));
    CHECK_FALSE(has_label(end.picture, "takes all; scroll for more"));
    ViewState high = state_of(1440, 9000, PanelPage::words);
    const SidePanel whole = draw_side_panel(run, high, regions_of(high), measure);
    CHECK_FALSE(whole.scroll.needed());
    CHECK_FALSE(mark(whole));
  }

  TEST_CASE("a hidden panel draws nothing") {
    ViewState view = state_of(1440, 900, PanelPage::start);
    view.panel = false;
    const Picture picture = draw_side_panel(four_lanes().view(), view, regions_of(view), FixedMeasure()).picture;
    CHECK(picture.shapes.empty());
    CHECK(picture.spots.empty());
  }

  TEST_CASE("labels are clear and inside, on all pages, in all sizes, for all kinds of runs") {
    const FixedMeasure measure;
    static test::RecordedRun reading = test::four_models_reading(), start = test::four_models_at_the_start(),
                             window = test::window_model(8), failing = test::one_failing_lane(8);
    const RunView none;
    std::vector<RunView> runs = {four_lanes().view(), reading.view(), start.view(),
                                 window.view(),       failing.view(), none};
    for (const RunView& run : runs)
      for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}, {640.f, 480.f}})
        for (const PanelPage page : {PanelPage::start, PanelPage::inspector, PanelPage::words})
          for (const Theme theme : {Theme::dark, Theme::light}) {
            ViewState view = state_of(width, height, page);
            view.theme = theme;
            const Picture picture = draw_side_panel(run, view, regions_of(view), measure).picture;
            labels_clear(picture);
            spots_clear(picture, regions_of(view).panel);
          }
  }
}
