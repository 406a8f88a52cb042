#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/growth_cases.h"
#include "tests/support/picture_check.h"
#include "viewer/draw/growth_readouts.h"
#include "viewer/draw/growth_text.h"
#include "viewer/session/number_text.h"

using namespace kv::viewer;

namespace {

std::string headline_of(const GrowthRun& run, const ViewState& view) {
  const Headline headline = headlines_of(growth_scene_of(run.run, view, regions_of(view))).front();
  return headline.words + headline.last_words;
}

Picture picture_of(const GrowthRun& run, const ViewState& view) {
  HeatMaps maps;
  return draw_growth(run.run, view, regions_of(view), kFixedMeasure, maps);
}

std::vector<std::string> texts_of(const Picture& picture) {
  std::vector<std::string> texts;
  for (const Label& label : picture.labels()) texts.push_back(label.text);
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("growth: the headline's bytes and ratio are those of the lanes' numbers, at every step") {
    const GrowthRun& run = growth_run("four models");
    for (int64_t step = 0; step <= run.last_step; ++step) {
      const LaneNumbers mha = numbers_of(run.run.lanes[0], step), mqa = numbers_of(run.run.lanes[2], step);
      CHECK(headline_of(run, view_of(1440, 900, step, 128)) ==
            "After " + count_of(mha.context, "token") + ", MHA keeps " + bytes_text(mha.kv_bytes) + ". MQA keeps " +
                bytes_text(mqa.kv_bytes) + ": " +
                times_text(static_cast<double>(mha.kv_bytes), static_cast<double>(mqa.kv_bytes)) + " times less.");
      CHECK(mha.kv_bytes == 8 * mqa.kv_bytes);
    }
  }

  TEST_CASE("growth: one lane alone is compared with nothing") {
    const GrowthRun& run = growth_run("one model");
    const std::string headline = headline_of(run, view_of(1440, 900, 3, 32));
    CHECK(headline == "After " + count_of(run.run.lanes[0].context_at(3), "token") + ", MQA keeps " +
                          bytes_text(numbers_of(run.run.lanes[0], 3).kv_bytes) + ": a token adds 512 B.");
    CHECK(headline_of(growth_run("a window"), view_of(1440, 900, 20, 32)).ends_with("its window is full."));
  }

  TEST_CASE("growth: each state has its own headline") {
    CHECK(headline_of(growth_run("at the start"), view_of(1440, 900, 0, 32)) == "Nothing is stored yet. Space starts.");
    CHECK(headline_of(growth_run("nothing is open"), view_of(1440, 900, 0, 32)) == "No model is open.");
    const GrowthRun& reading = growth_run("reading the prompt");
    const LaneView& lane = reading.run.lanes[0];
    REQUIRE(lane.prompt_read == 256);
    CHECK(headline_of(reading, view_of(1440, 900, 0, 512)) ==
          "Reading the prompt: 256 of " + count_of(std::ssize(lane.facts->prompt), "token") + " are stored.");
    const GrowthRun& full = growth_run("full");
    CHECK(headline_of(full, view_of(1440, 900, full.last_step, 32))
              .starts_with("24 of 24: the cache is full. MHA keeps"));
    ViewState off = view_of(1440, 900, 20, 64);
    off.cache_on = false;
    const LaneNumbers numbers = numbers_of(growth_run("four models").run.lanes[0], 20);
    const std::string headline = headline_of(growth_run("four models"), off);
    CHECK(headline.find(flops_text(numbers.flops_without_cache)) != std::string::npos);
    CHECK(headline.find(times_text(static_cast<double>(numbers.flops_without_cache),
                                   static_cast<double>(numbers.flops))) != std::string::npos);
    off.cache_on = true;
    off.at_size_of = 0;
    CHECK(headline_of(growth_run("four models"), off).starts_with("At the size of Llama-3-8B, after "));
  }

  TEST_CASE("growth: lanes at different numbers of tokens are not compared") {
    GrowthRun run = growth_run("four models");
    run.run.lanes.resize(2);
    run.run.lanes[1].steps = run.run.lanes[1].steps.first(4);  // as if it had stopped
    CHECK(headline_of(run, view_of(1440, 900, 20, 64)).find("times less") == std::string::npos);
    CHECK(headline_of(run, view_of(1440, 900, 3, 64)).find("times less") != std::string::npos);
  }

  TEST_CASE("growth: the sentence of a failed lane stands in its map, the others are drawn as ever") {
    const GrowthRun& run = growth_run("one lane failed");
    REQUIRE(run.run.lanes[1].failed);
    const int64_t failed_at = run.run.lanes[1].last_step();
    const auto says_why = [&](int64_t step) {
      const std::vector<std::string> texts = texts_of(picture_of(run, view_of(1440, 900, step, 32)));
      return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return text.size() > 20 && run.run.lanes[1].stopped.find(text.substr(0, 20)) == 0;
      });
    };
    CHECK(says_why(run.last_step));
    CHECK_FALSE(says_why(failed_at - 1));
  }

  TEST_CASE("growth: every number of the step block is one of the lane's, with the mark of its kind") {
    const GrowthRun& run = growth_run("four models");
    const LaneView& lane = run.run.lanes[0];
    const int64_t at_32 = 32 - lane.context_at(0);
    for (const int64_t step : {int64_t{5}, at_32}) {
      const ViewState view = view_of(1440, 900, step, 64);
      const LaneNumbers numbers = numbers_of(lane, step);
      const std::vector<NumberRow> rows = step_rows(growth_scene_of(run.run, view, regions_of(view)).lane(0), true);
      REQUIRE(rows.size() == 6);
      CHECK(rows[0].value == exact_bytes_text(numbers.cache_bytes_written));
      CHECK(rows[1].value == bytes_text(numbers.cache_bytes_read));
      CHECK(rows[2].value == bytes_text(numbers.weight_bytes));
      CHECK(rows[3].value == flops_text(numbers.flops_without_cache));
      CHECK(rows[3].kind == (step == at_32 ? NumberKind::counted : NumberKind::predicted));
      CHECK(rows[4].value == seconds_text(numbers.time.median));
      CHECK(rows[4].kind == NumberKind::measured);
      CHECK(rows[5].kind == NumberKind::predicted);
      const std::vector<std::string> texts = texts_of(picture_of(run, view));
      for (const NumberRow& row : rows) CHECK(has(texts, row.value));
    }
  }

  TEST_CASE("growth: without the cache the step block says that nothing is written or read, and what is computed") {
    const GrowthRun& run = growth_run("four models");
    const LaneView& lane = run.run.lanes[0];
    const int64_t at_32 = 32 - lane.context_at(0);
    ViewState view = view_of(1440, 900, at_32, 64);
    view.cache_on = false;
    const LaneNumbers numbers = numbers_of(lane, at_32);
    std::vector<NumberRow> rows = step_rows(growth_scene_of(run.run, view, regions_of(view)).lane(0), false);
    REQUIRE(rows.size() == 6);
    CHECK(rows[0].value == "0 B");
    CHECK(rows[1].value == "0 B");
    CHECK(rows[3].value == flops_text(numbers.flops_without_cache));
    CHECK(rows[3].kind == NumberKind::counted);
    CHECK(rows[4].value == seconds_text(numbers.ran_without_cache->time.median));
    CHECK(rows[5].value == flops_text(numbers.flops));
    view.step = at_32 + 1;
    rows = step_rows(growth_scene_of(run.run, view, regions_of(view)).lane(0), false);
    CHECK(rows[2].kind == NumberKind::predicted);
    CHECK(has(texts_of(picture_of(run, view)), "nothing is kept"));
  }

  TEST_CASE("growth: bars have one FLOP scale: outline and filled part are as long as their FLOPs") {
    const GrowthRun& run = growth_run("four models");
    const ViewState view = view_of(1440, 900, 30, 64);
    const GrowthScene scene = growth_scene_of(run.run, view, regions_of(view));
    const Rect place{0, 0, 208, 10};
    double most = 0;
    for (const GrowthLane& lane : scene.lanes)
      most = std::max(most, static_cast<double>(lane.numbers->flops_without_cache));
    for (int lane = 0; lane < 4; ++lane) {
      const LaneNumbers& numbers = *scene.lane(lane).numbers;
      const FlopBar bar = flop_bar_of(scene, lane, place);
      CHECK(static_cast<double>(bar.outline.width()) ==
            doctest::Approx(208 * static_cast<double>(numbers.flops_without_cache) / most));
      CHECK(static_cast<double>(bar.filled.width()) ==
            doctest::Approx(std::max(2.0, 208 * static_cast<double>(numbers.flops) / most)));
    }
  }

  TEST_CASE("growth: the text shows the newest token whole, and in front of it as many tokens as fit") {
    const GrowthRun& run = growth_run("four models");
    const kv::Tokenizer& tokenizer = *run.run.lanes[0].facts->model->tokenizer;
    for (int64_t step = 1; step <= run.last_step; step += 3)
      for (const float width : {200.f, 384.f, 768.f}) {
        const ViewState view = view_of(1440, 900, step, 64);
        const GrowthLane lane = growth_scene_of(run.run, view, regions_of(view)).lane(0);
        const TextLine line = text_line_of(lane, width, kFixedMeasure);
        const int32_t newest = lane.view->tokens[static_cast<size_t>(lane.context - 1)];
        CHECK(line.newest == shown(tokenizer.token_bytes(newest), kFixedMeasure));
        const auto width_of = [](const TextLine& of) {
          return kFixedMeasure.width(fonts::kSmall, of.prompt + of.generated) +
                 kFixedMeasure.width(fonts::kSmallStrong, of.newest);
        };
        CHECK(width_of(line) <= width);
        if (!line.elided) continue;
        const int32_t left_out = lane.view->tokens[static_cast<size_t>(line.first_position - 1)];
        CHECK(width_of(line) +
                  kFixedMeasure.width(fonts::kSmall, "... " + shown(tokenizer.token_bytes(left_out), kFixedMeasure)) >
              width - 4);
      }
  }

  TEST_CASE("growth: behind the newest token of the selected lane stand the five likeliest next ones, to branch to") {
    const GrowthRun& run = growth_run("four models");
    ViewState view = view_of(1440, 900, 10, 32);
    view.panel = false;
    for (view.lane = 0; view.lane < 4; ++view.lane) {
      const LaneView& lane = run.run.lanes[static_cast<size_t>(view.lane)];
      const Picture picture = picture_of(run, view);
      int branches = 0;
      for (size_t i = 0; i < kCandidates; ++i) {
        const Candidate& likely = lane.steps[10].likeliest[i];
        const Spot* spot = spot_of(picture, "candidate " + std::to_string(i));
        REQUIRE(spot);
        CHECK(spot->words.find(token_text(lane, likely.token, kFixedMeasure)) != std::string::npos);
        CHECK(spot->words.find(percent_text(likely.probability, 1)) != std::string::npos);
        const bool taken = lane.tokens[static_cast<size_t>(lane.context_at(10))] == likely.token;
        CHECK(spot->action.has_value() == !taken);
        if (!spot->action) continue;
        const auto& branch = std::get<action::Branch>(*spot->action);
        CHECK(branch.lane == view.lane);
        CHECK(branch.token == likely.token);
        ++branches;
      }
      CHECK(branches == 4);
    }
  }

  TEST_CASE("growth: at a size it is named in every window, and there is a way back, with the cache and without") {
    const GrowthRun& run = growth_run("four models");
    for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}, {640.f, 480.f}})
      for (const bool panel : {true, false})
        for (const bool cache : {true, false})
          for (int size = 0; size < 3; ++size) {
            ViewState view = view_of(width, height, 20, 64);
            view.at_size_of = size;
            view.cache_on = cache;
            view.panel = panel;
            INFO(words_of_case(run, view));
            const Picture picture = picture_of(run, view);
            const Spot* back = spot_of(picture, "size 0");
            REQUIRE(back);
            CHECK(std::get<action::ShowAtSizeOf>(*back->action).size == -1);
            const std::vector<std::string> texts = texts_of(picture);
            CHECK(std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
              return text.find(sizes_to_compare()[static_cast<size_t>(size)].name) != std::string::npos;
            }));
            CHECK(std::any_of(texts.begin(), texts.end(),
                              [](const std::string& text) { return text.find("redicted") != std::string::npos; }));
          }
  }

  TEST_CASE("growth: by slot, the sub-line and each layer say why the ring has as many slots as it has") {
    const GrowthRun& run = growth_run("a window");
    ViewState view = view_of(1440, 900, 20, 32);
    view.by_slot = true;
    const std::string ring = "ring of 11 slots, for the window's 4 older tokens and the 7 of the prompt's call";
    CHECK(sub_lines_of(growth_scene_of(run.run, view, regions_of(view))).front().starts_with("A " + ring));
    CHECK(spot_of(picture_of(run, view), "band 0 1")->words.find("It is a " + ring) != std::string::npos);
    view.by_slot = false;
    CHECK(spot_of(picture_of(run, view), "band 0 1")->words.find("ring") == std::string::npos);
  }

  TEST_CASE("growth: what bits/byte and a lane's bar mean is told where they stand, with the lane's numbers") {
    const GrowthRun& run = growth_run("four models");
    ViewState view = view_of(1440, 900, 20, 64);
    const Picture picture = picture_of(run, view);
    for (int lane = 0; lane < 4; ++lane) {
      const Spot* bits = spot_of(picture, "bits " + std::to_string(lane));
      REQUIRE(bits);
      CHECK(bits->words.find("less is better") != std::string::npos);
      const LaneNumbers numbers = numbers_of(run.run.lanes[static_cast<size_t>(lane)], 20);
      const std::string& bar = spot_of(picture, "work " + std::to_string(lane))->words;
      CHECK(bar.find(flops_text(numbers.flops)) != std::string::npos);
      CHECK(bar.find(flops_text(numbers.flops_without_cache)) != std::string::npos);
      CHECK(bar.find("the outline is the step without") != std::string::npos);
    }
    CHECK(has_label(picture, "this step"));
    CHECK(has_label(picture, "with no cache"));
    CHECK_FALSE(spot_of(picture_of(growth_run("a window"), view), "bits 0"));
  }

  TEST_CASE("growth: lanes, layers and sizes answer to a click") {
    const GrowthRun& run = growth_run("four models");
    const Picture picture = picture_of(run, view_of(1440, 900, 10, 32));
    CHECK(std::get<action::SelectLane>(*spot_of(picture, "lane 2")->action).lane == 2);
    CHECK(std::get<action::ZoomInto>(*spot_of(picture, "band 1 3")->action).layer == 3);
    CHECK(std::get<action::ShowAtSizeOf>(*spot_of(picture, "size 3")->action).size == 2);
    CHECK_FALSE(std::get<action::ShowCacheUse>(*spot_of(picture, "work 0")->action).on);
    const Picture window = picture_of(growth_run("a window"), view_of(1440, 900, 20, 32));
    CHECK(std::get<action::ShowBySlot>(*spot_of(window, "axis 1")->action).on);
  }
}
