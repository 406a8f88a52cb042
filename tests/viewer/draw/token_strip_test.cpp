#include "viewer/draw/token_strip.h"

#include <doctest/doctest.h>

#include "tests/support/fixed_measure.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/attention.h"
#include "viewer/session/kv_store.h"

using namespace kv::viewer;
using namespace kv::test;

namespace {

const FixedMeasure kMeasure;

ViewState view_of(int64_t step) {
  ViewState view;
  view.window = {0, 0, 1440, 900};
  view.step = step;
  return view;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("a stored row is shaded by the RMS of its vector over the largest of the layer, head by head") {
    RecordedRun recorded = four_models(5);
    const RunView run = recorded.view();
    for (int lane = 0; lane < 4; ++lane)
      for (const int64_t head : {0, 3, 7}) {
        ViewState view = view_of(5);
        view.lane = lane;
        view.layer = 2;
        view.head = head;
        const LaneView& shown = run.lanes[static_cast<size_t>(lane)];
        const AttentionSubject subject = attention_subject(run, view);
        const AttentionLayout layout = attention_layout(subject, regions_of(view), view);
        const AttentionWeights weights = attention_weights(shown, 5, 2);
        const Picture picture = draw_attention(run, view, regions_of(view), kMeasure);
        for (const auto& row : layout.rows) {
          const float largest = shown.store->largest_rms(2, row.role, subject.context);
          for (int64_t position = 0; position < subject.context; ++position) {
            const StoredCell cell =
                stored_cell(shown, subject, weights, {position, position + 1, 0, 0}, row.role, true);
            CHECK(cell.stored);
            CHECK(cell.read);
            CHECK(cell.strength ==
                  doctest::Approx(shown.store->rms(2, row.role, subject.kv_head(), position) / largest));
            const Rect box{layout.axis.x_of(position), row.box.top, layout.axis.x_of(position + 1) - 1, row.box.bottom};
            const Colour colour = palette_of(view.theme).shade(row.role, cell.strength);
            CHECK(std::any_of(picture.shapes.begin(), picture.shapes.end(), [&](const Shape& shape) {
              const auto* rect = std::get_if<FilledRect>(&shape);
              return rect && rect->box == box && rect->colour == colour;
            }));
          }
        }
      }
  }

  TEST_CASE("past its window a model stores and reads exactly the window; with the cache off it stores nothing") {
    RecordedRun recorded = window_model(20);
    const RunView run = recorded.view();
    for (const int64_t step : {0, 1, 20}) {
      const AttentionSubject subject = attention_subject(run, view_of(step));
      const AttentionWeights weights = attention_weights(run.lanes[0], step, 0);
      int64_t stored = 0, read = 0;
      for (int64_t position = 0; position < subject.context; ++position) {
        const ColumnRun column{position, position + 1, 0, 0};
        const StoredCell cell = stored_cell(run.lanes[0], subject, weights, column, Role::key, true);
        stored += cell.stored;
        read += cell.read;
        CHECK(cell.stored == (position >= subject.context - 5));
        CHECK_FALSE(stored_cell(run.lanes[0], subject, weights, column, Role::key, false).stored);
      }
      CHECK(stored == 5);
      CHECK(read == 5);
    }
  }

  TEST_CASE("columns cover the axis without holes, at every width of a token") {
    for (const double tokens : {32.0, 48.7, 128.0, 512.0, 1024.0, 1500.3, 8192.0, 131072.0})
      for (const float least : {1.f, 6.f}) {
        const TokenAxis axis{142, 768, tokens};
        const int64_t count = static_cast<int64_t>(tokens) - 1;
        int64_t next = 0;
        float right = 142;
        for (const ColumnRun& run : runs_of_columns(axis, count, least)) {
          CHECK(run.first == next);
          CHECK(run.last > run.first);
          CHECK(run.left == doctest::Approx(right));
          next = run.last;
          right = run.right;
        }
        CHECK(next == count);
        CHECK(right <= 142 + 768 + 1);
      }
  }

  TEST_CASE("a token's text is written without the blank before a word; without a tokenizer its id") {
    RecordedRun four = four_models(0, "It is  a");
    const LaneView lane = four.view().lanes[0];
    CHECK(text_at(lane, 0, kMeasure).find(' ') != 0);
    RecordedRun without = window_model(0);
    const LaneView ids = without.view().lanes[0];
    CHECK(text_at(ids, 1, kMeasure) == "id 17");
  }

  TEST_CASE("from 24 px on each token's text stands under its column, and narrower columns have none") {
    RecordedRun recorded = four_models(8);
    const RunView run = recorded.view();
    ViewState view = view_of(8);
    const AttentionLayout layout = attention_layout(attention_subject(run, view), regions_of(view), view);
    const Picture picture = draw_attention(run, view, regions_of(view), kMeasure);
    int64_t texts = 0;
    for (const Label& label : picture.labels())
      if (layout.texts.holds(label.box())) {
        CHECK((label.position.x - 4 - layout.axis.left) / 24 == doctest::Approx(static_cast<double>(texts)));
        ++texts;
      }
    CHECK(texts == run.lanes[0].context_at(8));
    view.axis = 64;
    CHECK_FALSE(attention_layout(attention_subject(run, view), regions_of(view), view).staggered);
    const Picture narrow = draw_attention(run, view, regions_of(view), kMeasure);
    const auto stands_alone = [&](const Label& label) {
      return label.font == fonts::kSmall && layout.texts.holds(label.box());
    };
    const std::vector<Label> labels = narrow.labels();
    CHECK(std::none_of(labels.begin(), labels.end(), stands_alone));
  }
}
