#include "viewer/draw/growth_readouts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/growth_cases.h"
#include "viewer/session/number_text.h"

using namespace kv::viewer;

namespace {

bool says(const Picture& picture, const std::string& text) {
  const std::vector<Label> labels = picture.labels();
  return std::any_of(labels.begin(), labels.end(), [&](const Label& label) { return label.text == text; });
}

Picture growth_of(const RunView& run, const ViewState& view) {
  HeatMaps maps;
  return draw_growth(run, view, regions_of(view), kFixedMeasure, maps);
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("growth: a lane's share is its bytes over those of the lane called MHA, as the areas show it") {
    const RunView& run = growth_run("four models").run;
    const int64_t step = 48 - run.lanes[0].context_at(0);
    const Picture picture = growth_of(run, view_of(1440, 900, step, 64));
    for (size_t lane = 1; lane < run.lanes.size(); ++lane) {
      const auto bytes = [&](size_t index) {
        return static_cast<double>(
            run.lanes[index].config().cache_bytes(run.lanes[index].context_at(step), kv::Dtype::bf16));
      };
      CHECK(says(picture, share_text(bytes(lane), bytes(0)) + " of MHA"));
    }
    CHECK(says(picture, "1/6.4 of MHA"));  // 640 B a token beside 4,096 B
  }

  TEST_CASE("growth: without such a lane it is the share of one K and V for every query head of the same model") {
    // 8 query heads share one K and V.
    CHECK(says(growth_of(growth_run("one model").run, view_of(1440, 900, 3, 32)), "1/8 of MHA"));
  }

  TEST_CASE("growth: the token that stands before every text is no part of the text shown") {
    const RunView& run = growth_run("four models").run;
    const LaneView& lane = run.lanes[0];
    REQUIRE(lane.facts->model->tokenizer->begin_token() == lane.tokens[0]);
    const std::string begin = lane.facts->model->tokenizer->token_bytes(lane.tokens[0]);
    for (const Label& label : growth_of(run, view_of(1440, 900, 2, 32)).labels())
      CHECK(label.text.find(begin) == std::string::npos);
  }

  TEST_CASE("growth: one model alone has taller strips than four") {
    const ViewState view = view_of(1440, 900, 3, 32);
    const RunView& one = growth_run("one model").run;
    const RunView& four = growth_run("four models").run;
    CHECK(growth_scene_of(one, view, regions_of(view)).layout.u >
          growth_scene_of(four, view, regions_of(view)).layout.u);
  }
}
