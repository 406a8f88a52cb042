#include "viewer/draw/attention.h"

#include <doctest/doctest.h>

#include "model/kv_layout.h"
#include "tests/support/fixed_measure.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/attention_bars.h"
#include "viewer/draw/attention_heads.h"
#include "viewer/draw/attention_readouts.h"
#include "viewer/draw/token_strip.h"
#include "viewer/session/number_text.h"

using namespace kv::viewer;
using namespace kv::test;

namespace {

const FixedMeasure kMeasure;

ViewState view_of(int64_t step, int lane = 0, float width = 1440, float height = 900) {
  ViewState view;
  view.window = {0, 0, width, height};
  view.scene = Scene::attention;
  view.step = step;
  view.lane = lane;
  return view;
}

RecordedRun& four() {
  static RecordedRun run = four_models(40);
  return run;
}

// A window of 40 in two of three layers, whose ring of 44 slots has wrapped.
RecordedRun& wrapped() {
  static RecordedRun run = [] {
    RecordedRun made({random_lane(tiny_heads(6, 2, 10, 40), 1024)}, "5,17,3,42,8");
    made.record_to(600);
    return made;
  }();
  return run;
}

bool has_rect(const Picture& picture, const Rect& box) {
  for (const Shape& shape : picture.shapes)
    if (const auto* rect = std::get_if<FilledRect>(&shape); rect && rect->box == box) return true;
  return false;
}

std::string headline_of(const Picture& picture) {
  std::string text;
  for (const Label& label : picture.labels())
    if (label.font == fonts::kTitle) text += label.text;
  return text;
}

Picture draw(const RunView& run, const ViewState& view) {
  return draw_attention(run, view, regions_of(view), kMeasure);
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("each bar is as high as its weight on the axis, position by position, and is in the picture") {
    const RunView run = four().view();
    for (int lane = 0; lane < 4; ++lane)
      for (const double axis : {32.0, 64.0, 128.0, 512.0})
        for (const int64_t step : {0, 7, 40}) {
          ViewState view = view_of(step, lane);
          view.axis = axis;
          view.layer = 1 + lane % 3;
          view.head = 5;
          const AttentionSubject subject = attention_subject(run, view);
          const AttentionLayout layout = attention_layout(subject, regions_of(view), view);
          const AttentionWeights weights =
              attention_weights(run.lanes[static_cast<size_t>(lane)], step, view.layer, view.form);
          const double top = axis_top(largest_weight(weights, 5));
          const Picture picture = draw(run, view);
          const std::vector<WeightBar> bars = weight_bars(subject, weights, layout, top);
          CHECK(static_cast<int64_t>(bars.size()) ==
                std::min(subject.context, static_cast<int64_t>(axis)));  // one for each token from 1 px on
          for (size_t i = 0; i < bars.size(); ++i) {
            const int64_t position = static_cast<int64_t>(i);
            const double height =
                static_cast<double>(weights.at(5, position)) / top * static_cast<double>(layout.chart.height());
            CHECK(bars[i].position == position);
            CHECK(static_cast<double>(bars[i].box.height()) == doctest::Approx(height).epsilon(1e-3).scale(1));
            CHECK(bars[i].box.left == layout.axis.x_of(position));
            CHECK(bars[i].box.bottom == layout.chart.bottom);
            CHECK(has_rect(picture, bars[i].box));
          }
        }
  }

  TEST_CASE("under a pixel a token, a bar is the largest weight of its tokens, and none is lost") {
    const RunView run = wrapped().view();
    ViewState view = view_of(600);
    view.axis = 4096;  // 0.19 px a token
    view.layer = 1;    // without a window
    const AttentionSubject subject = attention_subject(run, view);
    const AttentionLayout layout = attention_layout(subject, regions_of(view), view);
    const AttentionWeights weights = attention_weights(run.lanes[0], 600, 1);
    const std::vector<WeightBar> bars = weight_bars(subject, weights, layout, 1);
    int64_t next = 0;
    for (const WeightBar& bar : bars) {
      CHECK(bar.first == next);
      float largest = 0;
      for (int64_t position = bar.first; position < bar.last; ++position)
        largest = std::max(largest, weights.at(0, position));
      CHECK(bar.weight == largest);
      CHECK(bar.box.left <= layout.axis.x_of(bar.first) + 0.01f);
      CHECK(bar.box.right >= layout.axis.x_of(bar.last - 1));
      next = bar.last;
    }
    CHECK(next == subject.context);
  }

  TEST_CASE("the playhead stands where the scrubber's does: at x_of(context) of the one token axis") {
    const RunView run = four().view();
    const ViewState view = view_of(8);
    const Regions regions = regions_of(view);
    const TokenAxis axis{regions.map.left, regions.map.width(), view.axis};
    const float x = axis.x_of(run.lanes[0].context_at(8));
    int lines = 0;
    for (const Shape& shape : draw(run, view).shapes)
      if (const auto* line = std::get_if<Polyline>(&shape);
          line && line->thickness == 1.5f && line->points[0].x == line->points[1].x &&
          line->points[0].x - line->thickness / 2 == x)
        ++lines;
    // Their left edges: the newest token is not covered. Through the bars with what is stored, and through the heads.
    CHECK(lines == 2);
  }

  TEST_CASE("a layer with a window can be looked at by position and by slot, and no other has that choice") {
    const auto orders = [](const RunView& run, const ViewState& view) {
      return std::ranges::count_if(draw(run, view).spots, [](const Spot& spot) {
        return spot.action && std::holds_alternative<action::ShowBySlot>(*spot.action);
      });
    };
    CHECK(orders(four().view(), view_of(8)) == 0);
    static kv::test::RecordedRun window = kv::test::window_model(8);
    ViewState view = view_of(8);
    CHECK(orders(window.view(), view) == 2);
    view.by_slot = true;
    CHECK(orders(window.view(), view) == 2);
  }

  TEST_CASE("the headline's numbers are those of the recording") {
    const RunView run = four().view();
    for (const int64_t step : {0, 40})
      for (int64_t head = 0; head < 8; ++head) {
        ViewState view = view_of(step, 1);
        view.head = head;
        view.layer = 2;
        const AttentionWeights weights = attention_weights(run.lanes[1], step, 2);
        const std::string headline = headline_of(draw(run, view));
        CAPTURE(headline);
        CHECK(headline.find("head " + std::to_string(head) + " of layer 2 reads " + std::to_string(weights.context) +
                            " tokens") != std::string::npos);
        const int64_t half = tokens_with_half(weights, head);
        const std::string on =
            half == 1 ? "\"" + text_at(run.lanes[1], most_read(weights, head, 1)[0].position, kMeasure) + "\""
                      : std::to_string(half);
        CHECK((headline.ends_with(" on " + on + ".") || headline.ends_with(" on " + on + " of them.")));
      }
  }

  TEST_CASE("the table has the tokens read most in order, with position and weight, and the sum of the others") {
    const RunView run = four().view();
    const ViewState view = view_of(40, 2);
    const AttentionWeights weights = attention_weights(run.lanes[2], 40, 0);
    const std::vector<ReadToken> most = most_read(weights, 0, kMostRead);
    const Picture picture = draw(run, view);
    double rest = 1;
    float y = 0;
    for (size_t i = 0; i < most.size(); ++i) {
      const auto spot = std::find_if(picture.spots.begin(), picture.spots.end(),
                                     [&](const Spot& s) { return s.id == "attention.most." + std::to_string(i + 1); });
      REQUIRE(spot != picture.spots.end());
      CHECK(spot->box.top > y);
      y = spot->box.top;
      for (const std::string& text : {with_commas(most[i].position), weight_text(static_cast<double>(most[i].weight))})
        CHECK(std::any_of(picture.shapes.begin(), picture.shapes.end(), [&](const Shape& shape) {
          const auto* label = std::get_if<Label>(&shape);
          return label && label->text == text && spot->box.holds(label->box(), 1);
        }));
      const auto& cell = std::get<action::Inspect>(*spot->action).cell;
      CHECK(cell == Cell{2, 0, Role::key, 0, most[i].position, std::nullopt});
      rest -= static_cast<double>(most[i].weight);
    }
    CHECK(has_label(picture, weight_text(rest)));
    CHECK(has_label(picture, with_commas(weights.context - kMostRead) + " others"));
  }

  TEST_CASE("bytes that a head reads: all heads' are the counted bytes of the layer, once for those that share") {
    const RunView run = four().view();
    for (int lane = 0; lane < 4; ++lane) {
      const LaneView& view = run.lanes[static_cast<size_t>(lane)];
      int64_t bytes = 0;
      for (int64_t layer = 0; layer < view.config().layers; ++layer) {
        ViewState state = view_of(40, lane);
        state.layer = layer;
        const AttentionSubject subject = attention_subject(run, state);
        bytes += subject.kv_heads * bytes_read_by_head(view, subject, attention_weights(view, 40, layer));
      }
      CHECK(bytes == static_cast<int64_t>(view.steps[40].counted.cache_bytes_read));
    }
  }

  TEST_CASE("with the cache off no bytes are read, none are kept, and no line says otherwise") {
    const RunView run = four().view();
    for (const int lane : {0, 1, 3}) {
      ViewState view = view_of(40, lane, 1440, 1100);
      CHECK(has_label(draw(run, view), "bytes"));
      view.cache_on = false;
      for (const kv::cpu::LatentForm form : {kv::cpu::LatentForm::absorbed, kv::cpu::LatentForm::materialised}) {
        view.form = form;
        const Picture picture = draw(run, view);
        CHECK_FALSE(has_label(picture, "bytes"));
        CHECK(has_label(picture, "kept for the next step"));
        for (const Label& label : picture.labels()) CHECK(label.text.find("stored") == std::string::npos);
      }
    }
    // A window's layer: nothing was kept that could be left over.
    ViewState view = view_of(600);
    view.axis = 1024;
    view.cache_on = false;
    for (view.by_slot = false;; view.by_slot = true) {
      for (const Label& label : draw(wrapped().view(), view).labels())
        CHECK(label.text.find("Hollow") == std::string::npos);
      if (view.by_slot) break;
    }
  }

  TEST_CASE("the FLOPs of the form that ran are the counted ones") {
    const LaneView lane = four().view().lanes[3];
    for (const int64_t step : {0, 1, 40})
      CHECK(flops_in_form(lane, step, kv::cpu::LatentForm::absorbed, true) ==
            static_cast<int64_t>(lane.steps[static_cast<size_t>(step)].counted.flops()));
    CHECK(flops_in_form(lane, 40, kv::cpu::LatentForm::materialised, true) >
          flops_in_form(lane, 40, kv::cpu::LatentForm::absorbed, true));
  }

  TEST_CASE("latent attention shows its two forms and their difference as computed now") {
    const RunView run = four().view();
    ViewState view = view_of(40, 3);
    view.layer = 2;
    view.head = 5;
    const FormDifference difference = difference_of_forms(run.lanes[3], 40, 2, 5);
    CHECK(difference.largest_output > 0);
    for (const auto form : {kv::cpu::LatentForm::absorbed, kv::cpu::LatentForm::materialised}) {
      view.form = form;
      const Picture picture = draw(run, view);
      char text[32];
      std::snprintf(text, sizeof text, "%.1e", static_cast<double>(difference.largest_difference));
      CHECK(has_label(picture, text));
      for (const auto other : {kv::cpu::LatentForm::absorbed, kv::cpu::LatentForm::materialised})
        CHECK(has_label(picture, flops_text(flops_in_form(run.lanes[3], 40, other, true))));
      int spots = 0;
      for (const Spot& spot : picture.spots)
        spots += spot.action && std::holds_alternative<action::UseForm>(*spot.action);
      CHECK(spots == 2);
    }
    for (const Spot& spot : draw(run, view_of(40, 0)).spots)
      CHECK_FALSE((spot.action && std::holds_alternative<action::UseForm>(*spot.action)));
  }

  TEST_CASE("the memory gives what the functions give, also after a branch put other tokens in the same places") {
    RecordedRun run = four_models(6);
    AttentionMemory memory;
    const auto check = [&](int64_t step) {
      const RunView view = run.view();
      for (const size_t lane : {size_t{0}, size_t{3}})
        for (const auto form : {kv::cpu::LatentForm::absorbed, kv::cpu::LatentForm::materialised})
          for (int again = 0; again < 2; ++again) {
            CHECK(memory.weights(view.lanes[lane], step, 1, form).values ==
                  attention_weights(view.lanes[lane], step, 1, form).values);
            if (lane == 3)
              for (const int64_t head : {0, 7})
                CHECK(memory.difference(view.lanes[3], step, 1, head).largest_difference ==
                      difference_of_forms(view.lanes[3], step, 1, head).largest_difference);
          }
      return memory.weights(view.lanes[0], step, 1, {}).values;
    };
    const auto before = check(6);
    CHECK(check(5) != before);
    const int32_t other = run.view().lanes[0].steps[3].likeliest[2].token;
    run.recorder(0).branch(3, other);
    run.record_to(6);
    CHECK(check(6) != before);
  }

  TEST_CASE("equal input gives an equal picture, whatever was drawn before") {
    const RunView run = four().view();
    const Picture first = draw(run, view_of(20, 3));
    draw(run, view_of(21, 1));
    const Picture again = draw(run, view_of(20, 3));
    REQUIRE(first.labels().size() == again.labels().size());
    for (size_t i = 0; i < first.labels().size(); ++i) {
      CHECK(first.labels()[i].text == again.labels()[i].text);
      CHECK(first.labels()[i].box() == again.labels()[i].box());
    }
    CHECK(first.shapes.size() == again.shapes.size());
  }

  TEST_CASE("what is under the mouse is the stored vector whose column and row it is") {
    const RunView run = four().view();
    for (const int lane : {1, 3}) {
      ViewState view = view_of(8, lane);
      view.head = 6;
      view.layer = 3;
      const Regions regions = regions_of(view);
      const AttentionSubject subject = attention_subject(run, view);
      const AttentionLayout layout = attention_layout(subject, regions, view);
      const int64_t kv_head = lane == 1 ? 6 / (8 / run.lanes[1].config().kv_heads) : 0;
      for (int64_t position = 0; position < subject.context; ++position) {
        const float x = layout.axis.x_of(position) + 3;
        for (const auto& row : layout.rows)
          CHECK(attention_cell_at(run, view, regions, {x, row.box.centre().y}) ==
                Cell{lane, 3, row.role, kv_head, position, std::nullopt});
        CHECK(attention_cell_at(run, view, regions, {x, layout.chart.centre().y})->position == position);
        CHECK(attention_cell_at(run, view, regions, {x, layout.heads[0].centre().y}) ==
              Cell{lane, 3, layout.rows[0].role, 0, position, std::nullopt});
      }
      CHECK_FALSE(
          attention_cell_at(run, view, regions, {layout.axis.x_of(subject.context) + 1, layout.chart.centre().y}));
      CHECK_FALSE(attention_cell_at(run, view, regions, {30, 60}));
    }
  }

  TEST_CASE("by slot, a column is the slot of the model's own ring: its position's weight stands there") {
    const RunView run = wrapped().view();
    ViewState view = view_of(600);
    view.axis = 1024;
    view.by_slot = true;
    const AttentionSubject subject = attention_subject(run, view);
    REQUIRE(subject.by_slot());
    CHECK(subject.positions == positions_by_slot(layout_of(*run.lanes[0].facts), 0, 605));
    const kv::KvLayout ring = layout_of(*run.lanes[0].facts);
    const AttentionLayout layout = attention_layout(subject, regions_of(view), view);
    const AttentionWeights weights = attention_weights(run.lanes[0], 600, 0);
    int seen = 0;
    for (const WeightBar& bar : weight_bars(subject, weights, layout, 1)) {
      if (!bar.seen || bar.last - bar.first > 1) continue;
      CHECK(ring.slot(0, bar.position) == bar.first);
      ++seen;
    }
    CHECK(seen > 0);
    int64_t read = 0;
    for (int64_t slot = 0; slot < subject.columns(); ++slot) read += subject.position_in(slot) >= weights.first_seen;
    CHECK(read == 40);
    // A layer without a window has no ring: slot and position are the same.
    view.layer = 1;
    CHECK_FALSE(attention_subject(run, view).by_slot());
  }

  TEST_CASE("a layer without attention says so, and offers the other layers") {
    RecordedRun recorded = window_model(3);
    RunView run = recorded.view();
    auto model = std::make_shared<kv::LoadedModel>();
    model->config = run.lanes[0].config();
    model->config.layer_cache[1] = kv::LayerCache{};
    auto facts = std::make_shared<LaneFacts>(*run.lanes[0].facts);
    facts->model = model;
    run.lanes[0].facts = facts;
    ViewState view = view_of(2);
    view.layer = 1;
    const Picture picture = draw(run, view);
    CHECK(headline_of(picture) == "Layer 1 of GQA keeps no keys and values: it has no attention.");
    CHECK(std::count_if(picture.spots.begin(), picture.spots.end(), [](const Spot& spot) {
            return spot.action && std::holds_alternative<action::SelectLayer>(*spot.action);
          }) == 3);
    CHECK_FALSE(attention_cell_at(run, view, regions_of(view), {200, 300}));
    labels_clear(picture);
  }
}
