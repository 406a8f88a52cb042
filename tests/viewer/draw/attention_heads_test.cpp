#include "viewer/draw/attention_heads.h"

#include <doctest/doctest.h>

#include "tests/support/fixed_measure.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/attention.h"

using namespace kv::viewer;
using namespace kv::test;

namespace {

const FixedMeasure kMeasure;

ViewState view_of(int64_t step, int lane) {
  ViewState view;
  view.window = {0, 0, 1440, 900};
  view.step = step;
  view.lane = lane;
  view.axis = 64;
  return view;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("each query head has a line to the KV head that it reads: head / heads_per_kv_head") {
    RecordedRun recorded = four_models(2);
    const RunView run = recorded.view();
    for (int lane = 0; lane < 4; ++lane) {
      const ViewState view = view_of(2, lane);
      const Regions regions = regions_of(view);
      const AttentionSubject subject = attention_subject(run, view);
      const AttentionLayout layout = attention_layout(subject, regions, view);
      const kv::ModelConfig& config = run.lanes[static_cast<size_t>(lane)].config();
      const int64_t kv_heads = config.has_latent_attention() ? 1 : config.kv_heads;
      const std::vector<SharingLine> lines = sharing_lines(subject, layout, regions.names);
      REQUIRE(static_cast<int64_t>(lines.size()) == config.heads);
      for (const SharingLine& line : lines) {
        CHECK(line.kv_head == line.head / (config.heads / kv_heads));
        CHECK(line.to.y == layout.heads[static_cast<size_t>(line.head)].centre().y);
        // To one point for all that share, between the first and the last of their rows.
        const int64_t first = line.kv_head * config.heads / kv_heads;
        const int64_t last = first + config.heads / kv_heads - 1;
        CHECK(line.from == lines[static_cast<size_t>(first)].from);
        CHECK(line.from.y ==
              doctest::Approx(
                  (layout.heads[static_cast<size_t>(first)].top + layout.heads[static_cast<size_t>(last)].bottom) / 2));
      }
    }
  }

  TEST_CASE("rows of heads keep their order, do not meet, and leave the bars most of the room, up to 128 heads") {
    for (const int64_t heads : {1, 2, 8, 32, 128})
      for (const int64_t kv_heads : {int64_t{1}, heads}) {
        AttentionSubject subject;
        subject.state = AttentionSubject::State::shown;
        subject.heads = heads;
        subject.kv_heads = kv_heads;
        subject.context = 20;
        for (const Point size : {Point{1440, 900}, Point{1024, 700}, Point{640, 480}}) {
          ViewState view = view_of(0, 0);
          view.window = {0, 0, size.x, size.y};
          const AttentionLayout layout = attention_layout(subject, regions_of(view), view);
          CAPTURE(heads);
          CAPTURE(size.y);
          CHECK(layout.chart.height() >= 60);
          CHECK(layout.heads.front().top >= layout.heads_title.bottom);
          CHECK(layout.heads.back().bottom <= layout.ruler.top + 0.01f);
          CHECK(layout.rows.front().box.top >= layout.chart.bottom);
          CHECK(layout.texts.top >= layout.rows.back().box.bottom);
          CHECK(layout.heads_title.top >= layout.texts.bottom);
          for (size_t i = 0; i < layout.heads.size(); ++i) {
            CHECK(layout.heads[i].height() > 0.2f);
            if (i > 0) CHECK(layout.heads[i].top >= layout.heads[i - 1].bottom - 0.001f);
          }
        }
      }
  }

  TEST_CASE("a cell of a head's row has the colour of its weight, one scale for all heads of the layer") {
    RecordedRun recorded = four_models(4);
    const RunView run = recorded.view();
    ViewState view = view_of(4, 1);
    view.layer = 1;
    const AttentionSubject subject = attention_subject(run, view);
    const AttentionLayout layout = attention_layout(subject, regions_of(view), view);
    const AttentionWeights weights = attention_weights(run.lanes[1], 4, 1);
    float largest = 0;
    for (int64_t head = 0; head < 8; ++head) largest = std::max(largest, largest_weight(weights, head));
    const Picture picture = draw_attention(run, view, regions_of(view), kMeasure);
    for (int64_t head = 0; head < 8; ++head)
      for (int64_t position = 0; position < subject.context; ++position) {
        const Rect& row = layout.heads[static_cast<size_t>(head)];
        const Rect box{layout.axis.x_of(position), row.top, layout.axis.x_of(position + 1) - 1, row.bottom};
        const Colour colour =
            palette_of(view.theme)
                .weight(colour_place(static_cast<double>(weights.at(head, position)), axis_top(largest)));
        CHECK(std::any_of(picture.shapes.begin(), picture.shapes.end(), [&](const Shape& shape) {
          const auto* rect = std::get_if<FilledRect>(&shape);
          return rect && rect->box == box && rect->colour == colour;
        }));
      }
  }

  TEST_CASE("every query head, lane and layer can be chosen by a click") {
    RecordedRun recorded = four_models(1);
    const Picture picture = draw_attention(recorded.view(), view_of(1, 0), regions_of(view_of(1, 0)), kMeasure);
    int heads = 0, lanes = 0, layers = 0;
    for (const Spot& spot : picture.spots) {
      if (!spot.action) continue;
      if (const auto* head = std::get_if<action::SelectHead>(&*spot.action)) CHECK(head->head == heads++);
      if (const auto* lane = std::get_if<action::SelectLane>(&*spot.action)) CHECK(lane->lane == lanes++);
      if (const auto* layer = std::get_if<action::SelectLayer>(&*spot.action)) CHECK(layer->layer == layers++);
    }
    CHECK(heads == 8);
    CHECK(lanes == 4);
    CHECK(layers == 4);
  }
}
