// The strip at the bottom: what the step costs in words and as a plot, and buttons with names.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "tests/support/fixed_measure.h"
#include "tests/support/growth_cases.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/ghost_plot.h"
#include "viewer/draw/scrubber.h"
#include "viewer/draw/transport.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

namespace {

test::RecordedRun& four_lanes() {
  static test::RecordedRun run = [] {
    test::RecordedRun made = test::four_models(24);
    made.run_without_cache(16).run_without_cache(32);
    return made;
  }();
  return run;
}

}  // namespace

TEST_SUITE("viewer/draw/transport") {
  TEST_CASE("what stays is said with the counted FLOPs of the step that is shown") {
    const RunView run = four_lanes().view();
    for (int lane = 0; lane < 4; ++lane) {
      ViewState view = view_of(1440, 900, 20, 64);
      view.lane = lane;
      const LaneNumbers numbers = numbers_of(run.lanes[static_cast<size_t>(lane)], 20);
      const StepCostWords words = step_cost_words(run, view);
      CHECK(words.first == "Reading old tokens stays:");
      CHECK(words.amount == flops_sum_text(numbers.new_token_flops, numbers.scan_flops));
      CHECK(words.last.starts_with(
          "scan " + percent_text(static_cast<double>(numbers.scan_flops), static_cast<double>(numbers.flops))));
      view.cache_on = false;
      CHECK(step_cost_words(run, view).amount == flops_text(numbers.flops_without_cache));
      view.at_size_of = 1;
      CHECK(step_cost_words(run, view).amount != flops_text(numbers.flops_without_cache));
    }
  }

  TEST_CASE("at a size the bar names the model whose predicted numbers it shows") {
    const RunView run = four_lanes().view();
    ViewState view = view_of(1440, 900, 20, 64);
    view.at_size_of = 1;
    const LaneNumbers large =
        predicted_numbers(sizes_to_compare()[1].variants[0], std::ssize(run.lanes[0].facts->prompt), 20, Dtype::bf16);
    StepCostWords words = step_cost_words(run, view);
    CHECK(words.first == "Llama-3-70B, predicted:");
    CHECK(words.amount == flops_sum_text(large.new_token_flops, large.scan_flops));
    CHECK(has_label(draw_ghost_plot(run, view, regions_of(view), FixedMeasure()),
                    "FLOPs of Llama-3-70B MHA, cache off/on"));
    view.cache_on = false;
    words = step_cost_words(run, view);
    CHECK(words.first == "Llama-3-70B with no cache:");
    CHECK(words.amount == flops_text(large.flops_without_cache));
    view.cache_on = true;
    view.step = 0;
    words = step_cost_words(run, view);
    CHECK(words.first == "Llama-3-70B reads the prompt:");
    CHECK(words.last.ends_with(", predicted"));
  }

  TEST_CASE("in Attention, whose weights are those of a model that runs, the bar is of that model at any size") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    ViewState view = view_of(1440, 900, 20, 64);
    view.scene = Scene::attention;
    const auto texts = [&] {
      std::vector<std::string> found;
      for (const Label& label : draw_transport(run, view, regions_of(view), measure).labels())
        found.push_back(label.text);
      return found;
    };
    const auto running = texts();
    const double scale = scrubber_bars(run, view, regions_of(view)).flops_a_pixel;
    const Point triangle = ghost_plot(run, view, regions_of(view))->this_without_cache;
    for (view.at_size_of = 0; view.at_size_of < 3; ++view.at_size_of) {
      CHECK(texts() == running);
      CHECK(scrubber_bars(run, view, regions_of(view)).flops_a_pixel == scale);
      CHECK(ghost_plot(run, view, regions_of(view))->this_without_cache == triangle);
      CHECK(ghost_plot(run, view, regions_of(view))->ran.size() == 2);
    }
    view.scene = Scene::growth;
    view.at_size_of = 0;
    CHECK(texts() != running);
  }

  TEST_CASE("before anything is recorded nothing is said about costs") {
    static test::RecordedRun start = test::four_models_at_the_start();
    const StepCostWords words = step_cost_words(start.view(), view_of(1440, 900, 20, 64));
    CHECK(words.first.empty());
    CHECK(words.amount.empty());
    CHECK(step_cost_words({}, view_of(1440, 900, 20, 64)).last.empty());
  }

  TEST_CASE("each button has a name, words and what it does; play becomes pause") {
    ViewState view = view_of(1440, 900, 20, 64);
    const FixedMeasure measure;
    const Picture picture = draw_transport(four_lanes().view(), view, regions_of(view), measure);
    const auto spot = [](const Picture& of, const std::string& id) {
      const Spot* found = spot_of(of, id);
      REQUIRE_MESSAGE(found, id);
      return *found;
    };
    CHECK(std::get<action::GoTo>(*spot(picture, "transport/first").action).step == 0);
    CHECK(std::get<action::GoTo>(*spot(picture, "transport/last").action).step == 24);
    CHECK(std::get<action::StepBy>(*spot(picture, "transport/back").action).steps == -1);
    CHECK(std::get<action::StepBy>(*spot(picture, "transport/forward").action).steps == 1);
    CHECK(std::get<action::Faster>(*spot(picture, "transport/slower").action).factor == 0.5);
    CHECK(std::get<action::Faster>(*spot(picture, "transport/faster").action).factor == 2);
    CHECK(spot(picture, "transport/play").words == "Play (Space)");
    CHECK(has_label(picture, "step 20"));
    CHECK(has_label(picture, "8 tokens a second"));
    view.playing = true;
    CHECK(spot(draw_transport(four_lanes().view(), view, regions_of(view), measure), "transport/play").words ==
          "Pause (Space)");
  }

  TEST_CASE("the five buttons differ: steps are open chevrons, play and the ends are filled") {
    const ViewState view = view_of(1440, 900, 20, 64);
    const Picture picture = draw_transport(four_lanes().view(), view, regions_of(view), FixedMeasure());
    // The sign of a button by its points, left to right and down, from the button's middle.
    const auto sign_of = [&](const std::string& name) {
      const Spot* button = spot_of(picture, "transport/" + name);
      REQUIRE_MESSAGE(button, name);
      std::vector<std::pair<bool, std::vector<Point>>> sign;  // filled?
      const auto add = [&](bool filled, const std::vector<Point>& points) {
        if (!std::all_of(points.begin(), points.end(), [&](Point p) { return button->box.holds(p); })) return;
        sign.emplace_back(filled, std::vector<Point>());
        for (const Point p : points)
          sign.back().second.push_back({p.x - button->box.centre().x, p.y - button->box.centre().y});
      };
      for (const auto& shape : picture.shapes) {
        if (const auto* line = std::get_if<Polyline>(&shape)) add(false, line->points);
        if (const auto* polygon = std::get_if<FilledPolygon>(&shape)) add(true, polygon->points);
      }
      return sign;
    };
    for (const char* step : {"back", "forward"}) {
      const auto sign = sign_of(step);
      REQUIRE(sign.size() == 1);
      CHECK_FALSE(sign[0].first);
      REQUIRE(sign[0].second.size() == 3);
      const float tip = sign[0].second[1].x, end = sign[0].second[0].x;
      CHECK((step == std::string("back") ? tip < end : tip > end));
    }
    for (const char* filled : {"first", "play", "last"}) {
      const auto sign = sign_of(filled);
      REQUIRE(sign.size() == 1);
      CHECK(sign[0].first);
    }
  }

  TEST_CASE("the plot marks this step as the key to the marks says: counted a square, predicted a triangle") {
    const RunView run = four_lanes().view();
    ViewState view = view_of(1440, 900, 20, 64);
    const auto near = [](const Rect& box, Point at) { return box.inset(-1).holds(at) && box.width() < 10; };
    struct Marks {
      int squares = 0, triangles = 0, dots = 0;
    };
    const auto marks_at = [&](Point at) {
      Marks marks;
      for (const auto& shape : draw_ghost_plot(run, view, regions_of(view), FixedMeasure()).shapes) {
        if (const auto* square = std::get_if<OutlinedRect>(&shape)) marks.squares += near(square->box, at);
        if (const auto* dot = std::get_if<FilledCircle>(&shape)) marks.dots += dot->centre == at;
        const auto* line = std::get_if<Polyline>(&shape);
        if (line && line->points.size() == 4)
          marks.triangles += near({line->points[0].x, line->points[1].y, line->points[2].x, line->points[2].y}, at);
      }
      return marks;
    };
    for (view.at_size_of = -1; view.at_size_of < 3; ++view.at_size_of) {
      CAPTURE(view.at_size_of);
      const auto plot = ghost_plot(run, view, regions_of(view));
      REQUIRE(plot);
      const Marks with = marks_at(plot->this_with_cache), without = marks_at(plot->this_without_cache);
      CHECK(with.squares == (view.at_size_of < 0 ? 1 : 0));
      CHECK(with.triangles == (view.at_size_of < 0 ? 0 : 1));
      CHECK(without.triangles == 1);
      CHECK(without.squares == 0);
      CHECK(with.dots + without.dots == 0);
      const std::string words =
          spot_of(draw_ghost_plot(run, view, regions_of(view), FixedMeasure()), "ghost plot")->words;
      CHECK((words.find("counted with it") != std::string::npos) == (view.at_size_of < 0));
    }
  }

  TEST_CASE("the plot's title names both lines, and the model, in whatever room there is") {
    RunView run = four_lanes().view();
    const auto facts = std::make_shared<LaneFacts>(*run.lanes[0].facts);
    facts->label = "a-model-with-a-name-of-many-letters-and-more";
    for (const int size : {-1, 0, 1, 2}) {
      ViewState view = view_of(1440, 900, 20, 64);
      view.at_size_of = size;
      for (const bool long_name : {false, true}) {
        RunView named = run;
        if (long_name) named.lanes[0].facts = facts;
        const auto labels = draw_ghost_plot(named, view, regions_of(view), FixedMeasure()).labels();
        const auto title = std::find_if(labels.begin(), labels.end(),
                                        [](const Label& label) { return label.text.starts_with("FLOPs of "); });
        REQUIRE(title != labels.end());
        CAPTURE(title->text);
        CHECK((title->text.ends_with("without and with cache") || title->text.ends_with("cache off and on") ||
               title->text.ends_with("cache off/on")));
        if (size >= 0) CHECK(title->text.find(sizes_to_compare()[static_cast<size_t>(size)].name) == 9);
        CHECK(title->box().right <= title->region.right);
      }
    }
  }

  TEST_CASE("in the plot the triangle is the prediction for this step, and dots lie on the predicted line") {
    const RunView run = four_lanes().view();
    for (int lane = 0; lane < 4; ++lane) {
      ViewState view = view_of(1440, 900, 20, 64);
      view.lane = lane;
      const auto plot = ghost_plot(run, view, regions_of(view));
      REQUIRE(plot);
      const LaneView& of = run.lanes[static_cast<size_t>(lane)];
      const LaneNumbers numbers = numbers_of(of, 20);
      CHECK(plot->this_without_cache.y == plot->y_of(static_cast<double>(numbers.flops_without_cache)));
      CHECK(plot->this_with_cache.y == plot->y_of(static_cast<double>(numbers.flops)));
      CHECK(plot->this_without_cache.y < plot->this_with_cache.y);  // more work stands higher
      REQUIRE(plot->ran.size() == 2);
      const auto prompt = std::ssize(of.facts->prompt);
      for (size_t i = 0; i < 2; ++i) {
        const StepFlops same = predicted_flops(of.config(), prompt, of.without_cache[i].context - prompt, false);
        CHECK(plot->ran[i].y == plot->y_of(static_cast<double>(same.new_token + same.scan)));
      }
      for (const Point& point : plot->without_cache) CHECK(plot->box.inset(-0.01f).holds(point));
      for (const Point& point : plot->with_cache) CHECK(plot->box.inset(-0.01f).holds(point));
      CHECK(plot->y_of(plot->lowest) == plot->box.bottom);
      CHECK(plot->y_of(plot->highest) == plot->box.top);
    }
  }

  TEST_CASE("the plot's axes have numbers: the powers of ten at its edges, and the tokens at its right end") {
    const RunView run = four_lanes().view();
    const ViewState view = view_of(1440, 900, 20, 64);
    const auto plot = ghost_plot(run, view, regions_of(view));
    REQUIRE(plot);
    CHECK(plot->lowest == 1e6);
    CHECK(plot->highest == 1e9);
    CHECK(plot->tokens == 64);
    const Picture picture = draw_ghost_plot(run, view, regions_of(view), FixedMeasure());
    for (const char* text : {"FLOPs of MHA, without and with cache", "1 M", "1 G", "64 tokens"})
      CHECK_MESSAGE(has_label(picture, text), text);
    CHECK(spot_of(picture, "ghost plot")->words.find("from 1 MFLOP to 1 GFLOP") != std::string::npos);
    // Right of the tokens' end nothing is drawn: the last point of a line stands there.
    CHECK(plot->with_cache.back().x == plot->box.right);
    ViewState near = view_of(1440, 900, 4, 24);
    REQUIRE(ghost_plot(run, near, regions_of(near))->ran.size() == 1);
    CHECK(has_label(draw_ghost_plot(run, near, regions_of(near), FixedMeasure()), "run at 16"));
  }

  TEST_CASE("the words at the bars explain what they are made of, with the cache and without") {
    const RunView run = four_lanes().view();
    ViewState view = view_of(1440, 900, 20, 64);
    const auto picture = [&] { return draw_scrubber(run, view, regions_of(view), FixedMeasure()); };
    CHECK(has_label(picture(), "new token"));
    CHECK(spot_of(picture(), "scrubber/scan")->words.find("grows") != std::string::npos);
    const StepFlops prefill = predicted_flops(run.lanes[0].config(), std::ssize(run.lanes[0].facts->prompt), 0, true);
    view.cache_on = false;
    const Picture off = picture();
    CHECK(has_label(off, "all tokens"));
    CHECK_FALSE(has_label(off, "new token"));
    CHECK(spot_of(off, "scrubber/prefill")->words.find(flops_text(prefill.new_token + prefill.scan)) !=
          std::string::npos);
  }

  TEST_CASE("there is no plot where there is no room, at the prompt's end, and in an empty run") {
    const RunView run = four_lanes().view();
    ViewState view = view_of(1024, 700, 20, 64);
    CHECK_FALSE(ghost_plot(run, view, regions_of(view)));
    view = view_of(1440, 900, 20, 64);
    view.panel = false;
    CHECK_FALSE(ghost_plot(run, view, regions_of(view)));
    view = view_of(1440, 900, 20, 64);
    view.step = 0;
    CHECK_FALSE(ghost_plot(run, view, regions_of(view)));
    CHECK_FALSE(ghost_plot({}, view, regions_of(view)));
  }

  TEST_CASE("labels are clear and places distinct in windows of all sizes, with the cache on and off") {
    const FixedMeasure measure;
    for (const auto& window : {std::pair{1440.f, 900.f}, {1100.f, 760.f}, {1024.f, 700.f}, {640.f, 480.f}})
      for (const bool cache : {true, false})
        for (const int size : {-1, 2})
          for (const bool panel : {true, false})
            for (const int64_t step : {0, 1, 20}) {
              const float width = window.first, height = window.second;
              ViewState view = view_of(width, height, 20, 64);
              view.cache_on = cache;
              view.at_size_of = size;
              view.panel = panel;
              view.step = step;
              view.speed = 128;
              CAPTURE(width);
              const Picture picture = draw_transport(four_lanes().view(), view, regions_of(view), measure);
              labels_clear(picture);
              spots_clear(picture, view.window);
            }
  }
}
