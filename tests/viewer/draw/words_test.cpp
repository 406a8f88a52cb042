// What is shown, in words: the numbers are those of the recording, in every state.
#include <doctest/doctest.h>

#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/attention_ranking.h"
#include "viewer/draw/cell_facts.h"
#include "viewer/draw/words.h"
#include "viewer/session/attention_view.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

namespace {

test::RecordedRun& four_lanes() {
  static test::RecordedRun run = [] {
    test::RecordedRun made = test::four_models(24);
    made.run_without_cache(32).set_machine({1e10, 1e11});
    return made;
  }();
  return run;
}

ViewState at_step(int64_t step) {
  ViewState view;
  view.window = {0, 0, 1440, 900};
  view.step = step;
  return view;
}

bool says(const std::string& words, const std::string& part) { return words.find(part) != std::string::npos; }

// Paragraphs are sentences: they begin with a capital letter, a digit or a name, and end with a full stop.
void check_sentences(const RunView& run, const ViewState& view) {
  const std::vector<std::string> paragraphs = paragraphs_of(run, view);
  REQUIRE_FALSE(paragraphs.empty());
  for (const std::string& paragraph : paragraphs) {
    CHECK_MESSAGE((paragraph.ends_with('.') || paragraph.ends_with("\".")), paragraph);
    // What a model wrote may hold anything.
    if (!run.lanes.empty() && run.lanes[0].facts->model->tokenizer) continue;
    CHECK_MESSAGE(paragraph.find("..") == std::string::npos, paragraph);
    CHECK_MESSAGE(paragraph.find("  ") == std::string::npos, paragraph);
    CHECK_MESSAGE(paragraph.find("nan") == std::string::npos, paragraph);
  }
}

}  // namespace

TEST_SUITE("viewer/draw/words") {
  TEST_CASE("each lane's paragraph has the numbers of its step") {
    const RunView run = four_lanes().view();
    const ViewState view = at_step(20);
    const std::vector<std::string> paragraphs = paragraphs_of(run, view);
    REQUIRE(paragraphs.size() == 6);
    for (size_t lane = 0; lane < 4; ++lane) {
      const LaneNumbers numbers = numbers_of(run.lanes[lane], 20);
      const std::string& words = paragraphs[2 + lane];
      CHECK(words.starts_with(run.lanes[lane].facts->label + ", " + run.lanes[lane].facts->name));
      check_says(words, "keeps " + bytes_text(numbers.kv_bytes) + " for " + count_of(numbers.context, "token"));
      check_says(words, "added " + exact_bytes_text(numbers.token_bytes));
      check_says(words, "took " + flops_text(numbers.flops) + " (counted)");
      check_says(words, flops_text(numbers.new_token_flops) + " for the new token");
      check_says(words, flops_text(numbers.scan_flops) + " (");
      check_says(words, flops_text(numbers.flops_without_cache) + " (predicted)");
      check_says(words, bytes_text(numbers.cache_bytes_read) + " of cache");
      check_says(words, bytes_text(numbers.weight_bytes) + " of weights");
      check_says(words, seconds_text(numbers.time.median) + " (measured");
      check_says(words, seconds_text(*numbers.predicted_seconds) + " (predicted)");
      check_says(words, spoken_token(run.lanes[lane], run.lanes[lane].steps[20].likeliest[0].token));
    }
  }

  TEST_CASE("the summary compares the largest and the smallest cache, with the ratio of their bytes") {
    const RunView run = four_lanes().view();
    const LaneNumbers most = numbers_of(run.lanes[0], 20), least = numbers_of(run.lanes[2], 20);
    REQUIRE(most.kv_bytes == 8 * least.kv_bytes);
    CHECK(paragraphs_of(run, at_step(20))[1] ==
          "After " + count_of(most.context, "token") + ", MHA keeps " + bytes_text(most.kv_bytes) + ". MQA keeps " +
              bytes_text(least.kv_bytes) + ": 8 times less. In the maps a column is a token, a band is a layer.");
  }

  TEST_CASE("a step that was run without the cache says how long that took") {
    const RunView run = four_lanes().view();
    const auto prompt = std::ssize(run.lanes[0].facts->prompt);
    REQUIRE(prompt < 32);
    const std::string words = words_of(run, at_step(32 - prompt));
    check_says(words, seconds_text(run.lanes[0].without_cache[0].time.median) + " without the cache (measured)");
    CHECK_FALSE(says(words_of(run, at_step(2)), "without the cache (measured)"));
  }

  TEST_CASE("an empty run, one that begins, and one that reads its prompt say so") {
    check_says(words_of({}, at_step(0)), "No model is open.");
    static test::RecordedRun start = test::four_models_at_the_start(), reading = test::four_models_reading();
    check_says(words_of(start.view(), at_step(0)), "No step is recorded yet.");
    check_says(words_of(start.view(), at_step(0)), "Nothing is stored yet");
    const RunView run = reading.view();
    check_says(words_of(run, at_step(0)), "It has read " + with_commas(run.lanes[0].prompt_read) + " of " +
                                              count_of(std::ssize(run.lanes[0].facts->prompt), "token") +
                                              " of the prompt.");
  }

  TEST_CASE("a full cache and a failure are told where the lane ended, and not before") {
    static test::RecordedRun full = test::four_full_models(), failing = test::one_failing_lane(10);
    const RunView run = full.view();
    check_says(words_of(run, at_step(run.last_step())), "It stopped: " + run.lanes[0].stopped);
    CHECK_FALSE(says(words_of(run, at_step(0)), "It stopped"));
    const RunView broken = failing.view();
    REQUIRE(broken.lanes[1].failed);
    check_says(words_of(broken, at_step(10)), "It failed: " + broken.lanes[1].stopped);
  }

  TEST_CASE("zoom, the cache off, slots and sizes are told") {
    const RunView run = four_lanes().view();
    ViewState view = at_step(20);
    view.zoom = Zoom{1, 2};
    check_says(words_of(run, view), "Zoomed into layer 2 of GQA");
    check_says(words_of(run, view), "K of 2 heads of 32 numbers, largest RMS " +
                                        number_in_words(static_cast<double>(run.lanes[1].store->largest_rms(
                                            2, Role::key, run.lanes[1].context_at(20)))));
    view = at_step(20);
    view.cache_on = false;
    check_says(words_of(run, view), "The cache is off");
    const LaneNumbers without = numbers_of(run.lanes[0], 20);
    check_says(words_of(run, view), "It keeps nothing; with the cache it would keep " + bytes_text(without.kv_bytes));
    check_says(words_of(run, view), "The step takes " + flops_text(without.flops_without_cache) + " (predicted)");
    view = at_step(20);
    view.by_slot = true;  // without a window slot and position are the same
    CHECK_FALSE(says(words_of(run, view), "Columns are slots"));
    view = at_step(20);
    view.at_size_of = 0;
    const auto prompt = std::ssize(run.lanes[0].facts->prompt);
    const LaneNumbers large = predicted_numbers(sizes_to_compare()[0].variants[0], prompt, 20, Dtype::bf16);
    check_says(words_of(run, view), "at the size of Llama-3-8B and predicted");
    check_says(words_of(run, view), "MHA would keep " + bytes_text(large.kv_bytes));
    check_says(words_of(run, view), flops_text(large.flops) + " (predicted)");
    CHECK_FALSE(says(words_of(run, view), "(counted)"));
    CHECK_FALSE(says(words_of(run, view), "Its time"));
    CHECK_FALSE(says(words_of(run, view), "wrote"));  // the text is that of the models that run
    CHECK_FALSE(says(words_of(run, view), "Likeliest"));
    // One model runs, four of the size are drawn.
    static test::RecordedRun window = test::window_model(8);
    view.step = 8;
    const SizeOf& size = sizes_to_compare()[0];
    for (size_t i = 0; i < size.labels.size(); ++i)
      check_says(words_of(window.view(), view),
                 "\n" + size.labels[i] + ", " + size.origin_of(i) + ", predicted: 32 layers");
    CHECK_FALSE(says(words_of(window.view(), view), "the window"));
  }

  TEST_CASE("a zoom is told where it is drawn: not at a size, not in Attention, not into what stores nothing") {
    const RunView run = four_lanes().view();
    ViewState view = at_step(20);
    view.zoom = Zoom{0, 1};
    check_says(words_of(run, view), "Zoomed into layer 1 of MHA, every number of it: K of 8 heads of 32 numbers");
    check_says(words_of(run, view), "The other lanes are folded");
    view.cache_on = false;
    check_says(words_of(run, view), "Zoomed into layer 1 of MHA");
    view.cache_on = true;
    view.window = {0, 0, 640, 480};
    check_says(words_of(run, view), "Zoomed into layer 1 of MHA, means of ");
    view.at_size_of = 0;
    CHECK_FALSE(says(words_of(run, view), "Zoomed"));
    view.at_size_of = -1;
    view.scene = Scene::attention;
    CHECK_FALSE(says(words_of(run, view), "Zoomed"));
    view.scene = Scene::growth;
    view.zoom = Zoom{0, 99};
    CHECK_FALSE(says(words_of(run, view), "Zoomed"));
  }

  TEST_CASE("Attention is told of the models that run, at any size") {
    ViewState view = at_step(20);
    view.scene = Scene::attention;
    const std::string running = words_of(four_lanes().view(), view);
    view.at_size_of = 1;
    CHECK(words_of(four_lanes().view(), view) == running);
  }

  TEST_CASE("where another token than the likeliest was chosen is told, at that step and after it") {
    test::RecordedRun branched(load_lanes(test::settings_of({"austen-mqa"})), test::kViewerPrompt);
    branched.record_to(3);
    CHECK_FALSE(says(words_of(branched.view(), at_step(3)), "chosen"));
    const Candidate second = branched.view().lanes[0].steps[3].likeliest[1];
    branched.recorder(0).branch(3, second.token);
    branched.record_to(8);
    const RunView run = branched.view();
    const LaneView& lane = run.lanes[0];
    const std::string chosen = spoken_token(lane, second.token);
    check_says(words_of(run, at_step(3)), "; " + chosen + " was chosen.");
    CHECK_FALSE(says(words_of(run, at_step(3)), "Another token"));
    check_says(words_of(run, at_step(8)), "Another token than the likeliest was chosen: after step 3 " + chosen +
                                              " in place of " + spoken_token(lane, lane.steps[3].likeliest[0].token) +
                                              ".");
  }

  TEST_CASE("a cache that is off is told in Attention: nothing is read from it and nothing kept") {
    const RunView run = four_lanes().view();
    for (const int lane : {0, 3}) {
      ViewState view = at_step(20);
      view.scene = Scene::attention;
      view.lane = lane;
      check_says(words_of(run, view), "of the cache.");
      view.cache_on = false;
      check_says(words_of(run, view), "nothing is kept for the next step");
      CHECK_FALSE(says(words_of(run, view), "of the cache."));
      CHECK_FALSE(says(words_of(run, view), "the stored latents"));
    }
    ViewState off = at_step(20);
    off.scene = Scene::attention;
    off.lane = 3;
    off.cache_on = false;
    check_says(words_of(run, off), flops_text(numbers_of(run.lanes[3], 20).flops_without_cache) + " absorbed");
  }

  TEST_CASE("which lane is selected, and what lies over the picture, is told") {
    const RunView run = four_lanes().view();
    ViewState view = at_step(20);
    view.lane = 2;
    check_says(words_of(run, view), "MQA is selected.");
    CHECK_FALSE(says(words_of(run, view), "list of keys"));
    view.keys = true;
    view.editing_prompt = true;
    check_says(words_of(run, view), "The list of keys is open.");
    check_says(words_of(run, view), "The prompt is being edited.");
  }

  TEST_CASE("what is pointed at is told with its numbers") {
    const RunView run = four_lanes().view();
    ViewState view = at_step(20);
    view.pinned = Cell{1, 2, Role::value, 1, 13, 5};
    const auto facts = facts_of(run, *view.pinned, 20);
    check_says(words_of(run, view), title_of(*facts));
    check_says(words_of(run, view), with_commas(facts->offset));
  }

  TEST_CASE("attention tells the tokens that the chosen head reads most, with their weights") {
    const RunView run = four_lanes().view();
    for (const auto& [lane, layer, head] : {std::tuple{0, 1, 3}, {1, 3, 7}, {2, 0, 0}}) {
      ViewState view = at_step(20);
      view.scene = Scene::attention;
      view.lane = lane;
      view.layer = layer;
      view.head = head;
      const LaneView& of = run.lanes[static_cast<size_t>(lane)];
      const AttentionWeights weights = attention_weights(of, 20, layer);
      const std::string words = words_of(run, view);
      check_says(words,
                 "layer " + std::to_string(layer) + " of 0 to 3, query head " + std::to_string(head) + " of 0 to 7");
      check_says(words, "half of its weight falls on " + with_commas(tokens_with_half(weights, head)) + " of them");
      size_t at = 0;
      for (const ReadToken& token : most_read(weights, head, 5)) {
        const std::string part = spoken_token(of, of.tokens[static_cast<size_t>(token.position)]) + " at position " +
                                 std::to_string(token.position) + " with weight " +
                                 weight_text(static_cast<double>(token.weight));
        const size_t found = words.find(part, at);
        CHECK_MESSAGE(found != std::string::npos, part, " is not in its place in: ", words);
        at = found == std::string::npos ? at : found;
      }
    }
  }

  TEST_CASE("of latent attention both forms are told, with their difference computed now") {
    const RunView run = four_lanes().view();
    ViewState view = at_step(20);
    view.scene = Scene::attention;
    view.lane = 3;
    view.layer = 2;
    view.head = 5;
    const FormDifference difference = difference_of_forms(run.lanes[3], 20, 2, 5);
    check_says(words_of(run, view), number_in_words(static_cast<double>(difference.largest_output)));
    check_says(words_of(run, view), "of the absorbed form");
    check_says(words_of(run, view), flops_text(numbers_of(run.lanes[3], 20).flops) + " absorbed");
    view.form = cpu::LatentForm::materialised;
    check_says(words_of(run, view), "of the materialised form");
    view.lane = 0;
    CHECK_FALSE(says(words_of(run, view), "form"));
  }

  TEST_CASE("a window says how few tokens are read") {
    static test::RecordedRun window = test::window_model(20);
    ViewState view = at_step(20);
    check_says(words_of(window.view(), view), "a window of 5 tokens");
    check_says(words_of(window.view(), view), "took the place of an old one");
    const std::string ring = "a ring of 11 slots, for the window's 4 older tokens and the 7 of the prompt's call.";
    check_says(words_of(window.view(), view), "In memory the window is " + ring);
    check_says(words_of(window.view(), view), "The 22 tokens before it are outlined");
    view.by_slot = true;
    check_says(words_of(window.view(), view), "Columns are slots");
    check_says(words_of(window.view(), view), "Slots that it no longer needs are outlined.");
    view.scene = Scene::attention;
    check_says(words_of(window.view(), view), "Columns are slots of " + ring);
    view.by_slot = false;
    view.scene = Scene::attention;
    check_says(words_of(window.view(), view), "it reads 5 of 27 tokens");
  }

  TEST_CASE("in every state the words are sentences") {
    static test::RecordedRun reading = test::four_models_reading(), start = test::four_models_at_the_start(),
                             window = test::window_model(8), failing = test::one_failing_lane(8),
                             full = test::four_full_models(), thirty = test::thirty_layers(4);
    const RunView none;
    for (const RunView& run : {four_lanes().view(), reading.view(), start.view(), window.view(), failing.view(),
                               full.view(), thirty.view(), none})
      for (const Scene scene : {Scene::growth, Scene::attention})
        for (const int64_t step : {0, 1, 8})
          for (const int lane : {0, 1, 3}) {
            ViewState view = at_step(step);
            view.scene = scene;
            view.lane = lane;
            check_sentences(run, view);
            view.cache_on = false;
            view.by_slot = true;
            view.zoom = Zoom{lane, 1};
            view.hovered = Cell{lane, 0, Role::key, 0, 2, 1};
            view.notice = "A notice";
            check_sentences(run, view);
            if (run.lanes.size() == 4) {
              view.at_size_of = 2;
              check_sentences(run, view);
            }
          }
  }
}
