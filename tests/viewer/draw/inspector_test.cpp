// The inspector: what it says of a cell is what is stored, where the layout puts it, and by whom it was written.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/kv_layout.h"
#include "tests/support/fixed_measure.h"
#include "tests/support/picture_check.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/cell_facts.h"
#include "viewer/draw/inspector.h"
#include "viewer/draw/value_strip.h"
#include "viewer/session/attention_view.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

namespace {

test::RecordedRun& four_lanes() {
  static test::RecordedRun run = test::four_models(24);
  return run;
}
test::RecordedRun& window_lane() {
  static test::RecordedRun run = test::window_model(20);
  return run;
}

// "(4096 + (3 x 512 + 11) x 32 + 5) x 2 B" -> its value.
class Formula {
 public:
  explicit Formula(const std::string& text) : text_(text) {}
  int64_t value() { return sum(); }

 private:
  int64_t sum() {
    int64_t total = product();
    while (take('+')) total += product();
    return total;
  }
  int64_t product() {
    int64_t total = factor();
    while (take('x')) total *= factor();
    return total;
  }
  int64_t factor() {
    if (take('(')) {
      const int64_t inside = sum();
      REQUIRE(take(')'));
      return inside;
    }
    skip();
    int64_t number = 0;
    REQUIRE(at_ < text_.size());
    REQUIRE(std::isdigit(static_cast<unsigned char>(text_[at_])));
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
      number = number * 10 + (text_[at_++] - '0');
    return number;
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string text_;
  size_t at_ = 0;
};

int64_t offset_by_layout(const LaneView& lane, const Cell& cell) {
  const KvLayout layout = layout_of(*lane.facts);
  const int64_t slot = layout.slot(cell.layer, cell.position);
  int64_t values = 0;
  switch (cell.role) {
    case Role::key: values = layout.key(cell.layer, cell.head, slot); break;
    case Role::value: values = layout.value(cell.layer, cell.head, slot); break;
    case Role::latent: values = layout.latent(cell.layer, slot); break;
    case Role::rope_key: values = layout.latent(cell.layer, slot) + lane.config().latent.latent_dim; break;
  }
  return (values + cell.dim.value_or(0)) * bytes_of(lane.facts->cache_dtype);
}

// Every role, some heads, layers, positions and numbers of every lane.
std::vector<Cell> cells_of(const RunView& run) {
  std::vector<Cell> cells;
  for (int lane = 0; lane < static_cast<int>(run.lanes.size()); ++lane) {
    const LaneView& of = run.lanes[static_cast<size_t>(lane)];
    for (int64_t layer = 0; layer < of.config().layers; ++layer)
      for (const Role role : of.store->roles(layer))
        for (int64_t head = 0; head < of.store->heads(layer, role); ++head)
          for (const int64_t position : {int64_t{0}, int64_t{7}, of.context_at(of.last_step()) - 1})
            for (const std::optional<int64_t> dim :
                 {std::optional<int64_t>(), std::optional(of.store->dim(layer, role) - 1)})
              cells.push_back({lane, layer, role, head, position, dim});
  }
  return cells;
}

void check_addresses(const RunView& run) {
  for (const Cell& cell : cells_of(run)) {
    const auto facts = facts_of(run, cell, run.last_step());
    REQUIRE(facts);
    const LaneView& lane = run.lanes[static_cast<size_t>(cell.lane)];
    CHECK(facts->offset == offset_by_layout(lane, cell));
    CHECK_MESSAGE(Formula(facts->formula).value() == facts->offset, facts->formula);
    CHECK(facts->values == lane.store->vector(cell.layer, cell.role, cell.head, cell.position));
    CHECK(std::abs(facts->rms - static_cast<double>(lane.store->rms(cell.layer, cell.role, cell.head,
                                                                    cell.position))) <= 1e-6 * facts->rms);
    CHECK(facts->least == *std::min_element(facts->values.begin(), facts->values.end()));
    CHECK(facts->largest == *std::max_element(facts->values.begin(), facts->values.end()));
    CHECK(facts->bytes == (cell.dim ? 1 : std::ssize(facts->values)) * bytes_of(lane.facts->cache_dtype));
  }
}

ViewState state_of(float width, float height) {
  ViewState view;
  view.window = {0, 0, width, height};
  view.axis = 64;
  view.step = 20;
  view.page = PanelPage::inspector;
  return view;
}

std::vector<std::string> texts_of(const Picture& picture) {
  std::vector<std::string> texts;
  for (const Label& label : picture.labels()) texts.push_back(label.text);
  return texts;
}
bool holds(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

constexpr Rect kPage{1166, 98, 1418, 782};

// The page as it begins.
Picture inspected(const RunView& run, const ViewState& view) {
  return draw_inspector(run, view, kPage, 0, FixedMeasure()).picture;
}

}  // namespace

TEST_SUITE("viewer/draw/inspector") {
  TEST_CASE("the address of every kind of cell is the layout's, and its formula comes to the same number") {
    check_addresses(four_lanes().view());
    check_addresses(window_lane().view());
  }

  TEST_CASE("at its address in the model's own cache lies the very number that is shown") {
    const LaneView lane = four_lanes().view().lanes[1];  // GQA
    // The model's own cache, filled as it fills itself.
    cpu::KvCache cache(lane.config(), lane.facts->capacity, lane.facts->cache_dtype);
    cpu::Team team(1);
    cpu::prefill<float>({lane.config(), lane.facts->model->weights}, lane.tokens.first(20), cache,
                        cpu::LatentForm::absorbed, cpu::LogitRows::none, cpu::Run{team});
    const Cell cell{1, 2, Role::value, 1, 13, 5};
    const auto facts = facts_of(four_lanes().view(), cell, 20);
    REQUIRE(facts);
    const auto* start = static_cast<const std::byte*>(cache.keys(0).data);
    uint16_t stored = 0;
    std::memcpy(&stored, start + facts->offset, sizeof stored);
    CHECK(from_bf16(stored) == facts->values[5]);
  }

  TEST_CASE("query heads that share a vector are those of its KV head") {
    const RunView run = four_lanes().view();
    const auto of = [&](int lane, Role role, int64_t head) { return *facts_of(run, {lane, 0, role, head, 3, {}}, 20); };
    CHECK(of(0, Role::key, 5).first_query_head == 5);
    CHECK(of(0, Role::key, 5).query_heads == 1);
    CHECK(of(1, Role::value, 1).first_query_head == 4);
    CHECK(of(1, Role::value, 1).query_heads == 4);
    CHECK(of(2, Role::key, 0).query_heads == 8);
    CHECK(of(3, Role::rope_key, 0).query_heads == 8);
  }

  TEST_CASE("a position behind the window is named as no longer kept, from the step on at which it drops out") {
    const RunView run = window_lane().view();
    const int64_t prompt = std::ssize(run.lanes[0].facts->prompt);
    const Cell cell{0, 1, Role::key, 0, prompt - 1, {}};
    for (int64_t step = 0; step <= 20; ++step)
      CHECK(facts_of(run, cell, step)->still_held == (prompt + step - cell.position <= 5));
  }

  TEST_CASE("what is not there has no facts") {
    const RunView run = four_lanes().view();
    const Cell good{0, 0, Role::key, 0, 3, {}};
    REQUIRE(facts_of(run, good, 20));
    const auto without = [&](auto change) {
      Cell cell = good;
      change(cell);
      return !facts_of(run, cell, 20);
    };
    CHECK(without([](Cell& cell) { cell.lane = 4; }));
    CHECK(without([](Cell& cell) { cell.lane = -1; }));
    CHECK(without([](Cell& cell) { cell.layer = 4; }));
    CHECK(without([](Cell& cell) { cell.head = 8; }));
    CHECK(without([](Cell& cell) { cell.role = Role::latent; }));
    CHECK(without([](Cell& cell) { cell.position = 1000; }));
    CHECK(without([](Cell& cell) { cell.dim = 32; }));
    CHECK_FALSE(facts_of({}, good, 0));
  }

  TEST_CASE("a pinned cell is shown with its numbers, and what is hovered goes before it") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    ViewState view = state_of(1440, 900);
    view.pinned = Cell{1, 2, Role::value, 1, 13, 5};
    const auto facts = facts_of(run, *view.pinned, view.step);
    const std::vector<std::string> texts = texts_of(inspected(run, view));
    CHECK(holds(texts, "V of " + facts->token));
    CHECK(holds(texts, with_commas(facts->offset)));
    CHECK(holds(texts, "4 to 7 share it"));
    CHECK(holds(texts, "[5] = " + number_in_words(facts->values[5])));
    view.hovered = Cell{0, 0, Role::key, 3, 2, {}};
    CHECK(holds(texts_of(inspected(run, view)), "3 alone"));
  }

  TEST_CASE("the code that stored a cell is lit, line by line, with a bar beside it") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    const Palette& palette = palette_of(Theme::dark);
    for (const auto& [cell, call] : {std::pair{Cell{0, 0, Role::key, 0, 3, {}}, "cache.append<Scalar>"},
                                     std::pair{Cell{3, 0, Role::latent, 0, 3, {}}, "cache.append_latent"}}) {
      ViewState view = state_of(1440, 900);
      view.pinned = cell;
      int lines = 0, soft = 0;
      std::string lit;
      const Picture picture = inspected(run, view);
      const auto bars = std::count_if(picture.shapes.begin(), picture.shapes.end(), [&](const viewer::Shape& shape) {
        const auto* rect = std::get_if<FilledRect>(&shape);
        return rect && rect->colour == palette.text && rect->box.right < kPage.left;
      });
      for (const Label& label : picture.labels()) {
        if (label.font != fonts::kNumber) continue;
        (label.colour == palette.text ? lines : soft) += 1;
        if (label.colour == palette.text) lit += label.text;
      }
      std::erase(lit, ' ');
      CHECK_MESSAGE(lit.starts_with(std::string("//Appendtothecache.") + call), lit);
      CHECK(lit.ends_with(",run);"));
      CHECK(soft > 10);
      CHECK(bars == lines);
    }
  }

  TEST_CASE("all code of a cell can be read by scrolling, none of it cut, under its file and line") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    ViewState view = state_of(1440, 900);
    view.pinned = Cell{0, 0, Role::key, 0, 3, {}};
    const Page page = draw_inspector(run, view, kPage, 0, measure);
    CHECK(page.height > kPage.height());
    const Picture all = draw_inspector(run, view, {kPage.left, 0, kPage.right, page.height}, 0, measure).picture;
    std::string code;
    bool writer = false;
    const CodeExcerpt& append = code_of("KvCache::append");
    for (const Label& label : all.labels()) {
      writer = writer || label.text == append.file + ":" + std::to_string(append.first_line);
      if (!writer || label.font != fonts::kNumber) continue;
      CHECK_MESSAGE(!label.text.ends_with("..."), label.text);
      code += label.text;
    }
    std::string expected;
    for (const std::string& line : append.lines) expected += line;
    std::erase(code, ' ');
    std::erase(expected, ' ');
    CHECK(code == expected);
    const Picture end = draw_inspector(run, view, kPage, page.height - kPage.height(), measure).picture;
    CHECK(end.labels().back().text == "}");
    labels_clear(end);
  }

  TEST_CASE("while a step plays, its phases light up one after the other; a paused step lights none") {
    for (const int lane : {0, 3}) {
      const std::vector<CodePhase> phases = layer_phases(four_lanes().view().lanes[static_cast<size_t>(lane)].config());
      REQUIRE(phases.size() == 6);
      CHECK(phases[2].comment == "Append to the cache.");
      ViewState view;
      CHECK(lit_phase(phases, view, false) == -1);
      CHECK(lit_phase(phases, view, true) == 2);
      view.playing = true;
      for (int i = 0; i < 6; ++i) {
        view.phase = (i + 0.5) / 6;
        CHECK(lit_phase(phases, view, false) == i);
      }
      view.phase = 1;
      CHECK(lit_phase(phases, view, false) == -1);
    }
  }

  TEST_CASE("with nothing pointed at, the step is shown: its token, its work and what may come next") {
    const RunView run = four_lanes().view();
    const FixedMeasure measure;
    const ViewState view = state_of(1440, 900);
    const std::vector<std::string> texts = texts_of(inspected(run, view));
    CHECK(holds(texts, "Step 20 of MHA"));
    CHECK(holds(texts, flops_text(numbers_of(run.lanes[0], 20).flops)));
    const Step& step = run.lanes[0].steps[20];
    for (const Candidate& candidate : step.likeliest) CHECK(holds(texts, spoken_token(run.lanes[0], candidate.token)));
  }

  TEST_CASE("the strip of values has the diverging colour of each number over the largest") {
    const Palette& palette = palette_of(Theme::dark);
    const std::vector<float> values = {0.5f, -1.f, 0.f, 0.25f};
    const Picture strip = draw_value_strip(values, 1, {0, 0, 100, 20}, palette);
    REQUIRE(strip.shapes.size() >= 5);
    for (size_t i = 0; i < 4; ++i) {
      const auto& cell = std::get<FilledRect>(strip.shapes[i]);
      CHECK(cell.colour == palette.diverging(static_cast<double>(values[i])));
      CHECK(cell.box == Rect{25.f * static_cast<float>(i), 0, 25.f * static_cast<float>(i + 1), 20});
    }
    CHECK(std::get<FilledPolygon>(strip.shapes.back()).points.front().x == 37.5f);
    // More numbers than pixels: the furthest from 0 of those in a pixel.
    std::vector<float> many(512, 0.1f);
    many[511] = -2;
    const Picture narrow = draw_value_strip(many, {}, {0, 0, 256, 20}, palette);
    CHECK(std::get<FilledRect>(narrow.shapes[255]).colour == palette.diverging(-1));
    CHECK(std::get<FilledRect>(narrow.shapes[254]).colour == palette.diverging(0.05));
  }

  TEST_CASE("labels are clear in all states and heights, without a tokenizer as well") {
    const FixedMeasure measure;
    static test::RecordedRun reading = test::four_models_reading(), start = test::four_models_at_the_start(),
                             thirty = test::thirty_layers(6);
    for (const test::RecordedRun* recorded : {&four_lanes(), &window_lane(), &reading, &start, &thirty}) {
      const RunView run = recorded->view();
      for (const float bottom : {300.f, 420.f, 600.f, 782.f})
        for (const int lane : {0, 3})
          for (const bool pinned : {false, true}) {
            ViewState view = state_of(1440, 900);
            view.lane = lane;
            const Role role = run.lanes[static_cast<size_t>(std::min(lane, static_cast<int>(run.lanes.size()) - 1))]
                                      .config()
                                      .has_latent_attention()
                                  ? Role::latent
                                  : Role::key;
            if (pinned) view.pinned = Cell{lane, 0, role, 0, 3, 2};
            const Picture picture =
                draw_inspector(run, view, {kPage.left, kPage.top, kPage.right, bottom}, 0, measure).picture;
            labels_clear(picture);
            CHECK_FALSE(picture.labels().empty());
          }
    }
    labels_clear(inspected({}, state_of(1440, 900)));
  }
}
