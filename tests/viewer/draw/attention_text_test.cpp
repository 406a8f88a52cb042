#include "viewer/draw/attention_text.h"

#include <doctest/doctest.h>

#include "tests/support/fixed_measure.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/attention.h"
#include "viewer/draw/token_strip.h"

using namespace kv::viewer;
using namespace kv::test;

namespace {

const FixedMeasure kMeasure;

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("the text's last tokens follow each other, marked as strongly as the head's bars are high") {
    RecordedRun recorded = four_models(120);
    const RunView run = recorded.view();
    for (int lane = 0; lane < 4; ++lane)
      for (const float width : {1440.f, 800.f}) {
        ViewState view;
        view.window = {0, 0, width, 900};
        view.axis = 256;
        view.step = 120;
        view.lane = lane;
        view.head = 4;
        const Regions regions = regions_of(view);
        const LaneView& shown = run.lanes[static_cast<size_t>(lane)];
        const AttentionSubject subject = attention_subject(run, view);
        const AttentionLayout layout = attention_layout(subject, regions, view);
        const AttentionWeights weights = attention_weights(shown, 120, 0);
        const double top = axis_top(largest_weight(weights, 4));
        const AttentionScene scene{
            shown, view, palette_of(view.theme), kMeasure, subject, layout, regions.names, weights, {}, top};
        const std::vector<MarkedToken> tokens = marked_text(scene);
        REQUIRE(tokens.size() > 10);
        CHECK(tokens.back().position == subject.context - 1);
        for (size_t i = 0; i < tokens.size(); ++i) {
          const MarkedToken& token = tokens[i];
          CHECK(token.position == tokens[0].position + static_cast<int64_t>(i));
          CHECK(token.text == text_at(shown, token.position, kMeasure));
          CHECK(token.strength == doctest::Approx(static_cast<double>(weights.at(4, token.position)) / top));
          CHECK(layout.texts.holds(token.box, 0.5f));
          const bool next_line = i > 0 && token.box.top > tokens[i - 1].box.top;
          if (i > 0 && !next_line) CHECK(token.box.left >= tokens[i - 1].box.right - 0.01f);
          // A line begins with a word.
          const std::string bytes =
              shown.facts->model->tokenizer->token_bytes(shown.tokens[static_cast<size_t>(token.position)]);
          if (next_line) CHECK(bytes.front() == ' ');
        }
      }
  }
}
