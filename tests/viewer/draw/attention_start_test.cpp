// The start page beside Attention: its sentences are those of the lane that is selected.
#include "viewer/draw/attention_start.h"

#include <doctest/doctest.h>

#include "tests/support/growth_cases.h"
#include "tests/support/picture_check.h"
#include "viewer/draw/start_page.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

namespace {

ViewState attention_of(int lane) {
  ViewState view = view_of(1440, 900, 20, 64);
  view.scene = Scene::attention;
  view.lane = lane;
  return view;
}

std::string page_of(const RunView& run, const ViewState& view) {
  std::string text;
  for (const std::string& paragraph : attention_start_paragraphs(run, view)) text += paragraph + "\n";
  return text;
}

}  // namespace

TEST_SUITE("viewer/draw/attention_start") {
  TEST_CASE("what the heads share is that of the selected lane") {
    const RunView& four = growth_run("four models").run;
    check_says(page_of(four, attention_of(0)), "In MHA each of the 8 query heads reads a K and a V of its own");
    check_says(page_of(four, attention_of(1)), "In GQA every 4 of the 8 query heads read the same K and V");
    check_says(page_of(four, attention_of(1)), "so 4 times less is kept");
    check_says(page_of(four, attention_of(2)), "In MQA all 8 query heads read the same K and V");
    check_says(page_of(four, attention_of(2)), "so 8 times less is kept");
    check_says(page_of(four, attention_of(3)), "In MLA all 8 query heads read one latent and one rope key.");
  }

  TEST_CASE("what the step reads of the cache is what was counted, and nothing without the cache") {
    const RunView& four = growth_run("four models").run;
    for (int lane = 0; lane < 4; ++lane) {
      ViewState view = attention_of(lane);
      const int64_t bytes = numbers_of(four.lanes[static_cast<size_t>(lane)], view.step).cache_bytes_read;
      check_says(page_of(four, view), "this step reads " + bytes_text(bytes) + " of cache");
      view.cache_on = false;
      CHECK(page_of(four, view).find("of cache") == std::string::npos);
    }
  }

  TEST_CASE("one model has nothing to choose from, and the page stands beside Attention alone") {
    const RunView& one = growth_run("one model").run;
    CHECK(page_of(one, attention_of(0)).find("choose the model") == std::string::npos);
    const auto title = [&](const ViewState& view) {
      return draw_start_page(one, view, {1166, 98, 1418, 782}, kFixedMeasure).labels().front().text;
    };
    CHECK(title(attention_of(0)) == "What is read?");
    CHECK(title(view_of(1440, 900, 20, 64)) == "What grows?");
    CHECK(attention_start_paragraphs(RunView{}, attention_of(0)).empty());
  }
}
