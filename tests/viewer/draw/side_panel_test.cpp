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
      const Picture picture = draw_side_panel(run, view, regions_of(view), measure);
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
    const Picture picture = draw_side_panel(run, view, regions_of(view), measure);
    std::string drawn;
    for (const Label& label : picture.labels())
      if (label.position.y > 90 && label.font == fonts::kSmall) drawn += (drawn.empty() ? "" : " ") + label.text;
    const std::string first = paragraphs_of(run, view).front();
    CHECK(drawn.starts_with(first));
    CHECK(std::any_of(picture.spots.begin(), picture.spots.end(), [](const Spot& spot) {
      return spot.action && std::holds_alternative<action::CopyWords>(*spot.action);
    }));
  }

  TEST_CASE("a hidden panel draws nothing") {
    ViewState view = state_of(1440, 900, PanelPage::start);
    view.panel = false;
    const Picture picture = draw_side_panel(four_lanes().view(), view, regions_of(view), FixedMeasure());
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
            const Picture picture = draw_side_panel(run, view, regions_of(view), measure);
            labels_clear(picture);
            spots_clear(picture, regions_of(view).panel);
          }
  }
}
