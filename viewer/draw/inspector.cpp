#include "viewer/draw/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/code/narrow_code.h"
#include "viewer/draw/cell_facts.h"
#include "viewer/draw/column.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/draw/value_strip.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kRow = 19, kCodeLine = 18;
constexpr const char* kStoringPhase = "Append to the cache.";

void write_cell(Column& column, Picture& picture, const CellFacts& facts, const Palette& palette,
                const TextMeasure& measure) {
  const auto row = [&](const char* name, const std::string& value, Font font = fonts::kSmall) {
    column.row(name, value, font, palette.faint, palette.text, kRow);
  };
  column.line(fmt::format("{} of {}", name_of(facts.role), shown(facts.token, measure)), fonts::kBodyStrong,
              palette.text, 24);
  row("lane, layer", fmt::format("{}, {}", facts.lane, facts.layer));
  row("position", fmt::format("{}, {}", with_commas(facts.position), facts.of_prompt ? "prompt" : "generated"));
  row("slot", fmt::format("{} of {}{}", with_commas(facts.slot), with_commas(facts.slots),
                          facts.still_held ? "" : ", no longer kept"));
  if (facts.heads > 1) row("KV head", fmt::format("{} of {}", facts.head, facts.heads));
  row(facts.query_heads == 1 ? "query head" : "query heads",
      facts.query_heads == 1
          ? fmt::format("{} alone", facts.first_query_head)
          : fmt::format("{} to {} share it", facts.first_query_head, facts.first_query_head + facts.query_heads - 1));
  if (facts.dim)
    row("number", fmt::format("[{}] = {}", *facts.dim, number_in_words(facts.values[static_cast<size_t>(*facts.dim)])));
  column.skip(5);
  if (column.takes(24)) {
    const Rect strip{column.left(), column.y(), column.right(), column.y() + 20};
    picture.add(draw_value_strip(facts.values, facts.dim, strip, palette));
  }
  column.skip(facts.dim ? 29 : 24);
  row(fmt::format("{} values", facts.values.size()).c_str(),
      fmt::format("{} to {}", number_in_words(facts.least), number_in_words(facts.largest)));
  row("RMS", number_in_words(facts.rms));
  row("bytes", fmt::format("{}, {}", exact_bytes_text(facts.bytes), name_of(facts.dtype)));
  row("at byte", with_commas(facts.offset));
  column.paragraph("= " + facts.formula, fonts::kSmall, palette.soft, 17);
}

void write_step(Column& column, const RunView& run, const ViewState& view, int index, const Palette& palette,
                const TextMeasure& measure) {
  const LaneView& lane = run.lanes[static_cast<size_t>(index)];
  const auto row = [&](const char* name, const std::string& value) {
    column.row(name, value, fonts::kSmall, palette.faint, palette.text, kRow);
  };
  const int64_t step = shown_step(lane, view);
  if (step < 0) {
    column.line("No step is recorded yet", fonts::kBodyStrong, palette.text, 24);
    column.paragraph(fmt::format("{} of {} of the prompt are read.", with_commas(lane.prompt_read),
                                 count_of(std::ssize(lane.facts->prompt), "token")),
                     fonts::kSmall, palette.soft, kRow);
    return;
  }
  const Step& recorded = lane.steps[static_cast<size_t>(step)];
  const LaneNumbers numbers = numbers_of(lane, step);
  column.line(fmt::format("Step {} of {}", with_commas(step), lane.facts->label), fonts::kBodyStrong, palette.text, 24);
  const std::string newest = spoken_token(lane, lane.tokens[static_cast<size_t>(recorded.context() - 1)]);
  row(step == 0 ? "last of the prompt" : "token", shown(newest, measure));
  row("position", with_commas(recorded.context() - 1));
  if (numbers.time.takes > 0) {
    row("time, measured",
        fmt::format("{}, {}", seconds_text(numbers.time.median),
                    numbers.time.takes == 1 ? "once" : fmt::format("median of {}", numbers.time.takes)));
    if (numbers.time.takes > 1)
      row("from, to", fmt::format("{}, {}", seconds_text(numbers.time.least), seconds_text(numbers.time.most)));
  }
  if (numbers.predicted_seconds) row("time, predicted", seconds_text(*numbers.predicted_seconds));
  row("work, counted", flops_text(numbers.flops));
  row("with no cache, predicted", flops_text(numbers.flops_without_cache));
  if (numbers.ran_without_cache) row("with no cache, measured", seconds_text(numbers.ran_without_cache->time.median));
  column.skip(6);
  column.line("Likeliest to come next", fonts::kSmallStrong, palette.text, 20);
  for (const Candidate& candidate : recorded.likeliest)
    if (candidate.token >= 0)
      row(shown(spoken_token(lane, candidate.token), measure).c_str(),
          fmt::format("{:.1f} %", 100 * candidate.probability));
  column.skip(6);
  column.paragraph("Point at a cell for its numbers and its address.", fonts::kSmall, palette.faint, kRow);
}

// Code in the colours of reading: what is lit in full strength with a bar beside it, all else soft.
class CodeLines {
 public:
  CodeLines(Column& column, Picture& picture, const Palette& palette, const TextMeasure& measure)
      : column_(column),
        picture_(picture),
        palette_(palette),
        columns_(static_cast<size_t>((column.right() - column.left()) / measure.width(fonts::kNumber, "m"))) {}

  void place(const std::string& symbol, const std::string& file, int line) {
    column_.line(symbol, fonts::kSmallStrong, palette_.text, 18);
    column_.line(fmt::format("{}:{}", file, line), fonts::kSmall, palette_.faint, 20);
  }
  void write(const std::vector<std::string>& lines, bool lit) {
    for (const std::string& line : narrow_code(lines, columns_)) {
      if (lit && column_.takes(kCodeLine))
        picture_.rect({column_.left() - 9, column_.y(), column_.left() - 6, column_.y() + kCodeLine}, palette_.text);
      column_.line(line, fonts::kNumber, lit ? palette_.text : palette_.soft, kCodeLine);
    }
  }

 private:
  Column& column_;
  Picture& picture_;
  const Palette& palette_;
  size_t columns_;  // characters on a line: all are of one width
};

void write_code(Column& column, Picture& picture, const ModelConfig& config, const ViewState& view, bool cell_shown,
                const Palette& palette, const TextMeasure& measure) {
  CodeLines code(column, picture, palette, measure);
  column.rule(palette.line);
  const CodeExcerpt& layer = code_of("layer_with_cache");
  code.place("In " + layer.symbol, layer.file, layer.first_line);
  const std::vector<CodePhase> phases = layer_phases(config);
  const int lit = lit_phase(phases, view, cell_shown);
  for (int i = 0; i < static_cast<int>(phases.size()); ++i) {
    const CodePhase& phase = phases[static_cast<size_t>(i)];
    code.write({"// " + phase.comment}, i == lit);
    if (i == lit) code.write(phase.lines, true);
  }
  column.skip(8);
  const CodeExcerpt& writer = code_of(writer_of(config.has_latent_attention()));
  code.place("Stored by " + writer.symbol, writer.file, writer.first_line);
  code.write(writer.lines, false);
}

}  // namespace

std::vector<CodePhase> layer_phases(const ModelConfig& config) {
  std::vector<CodePhase> phases;
  for (CodePhase& phase : phases_of(code_of("layer_with_cache"))) {
    const bool of_latent = std::any_of(phase.lines.begin(), phase.lines.end(), [](const std::string& line) {
      return line.find("latent") != std::string::npos || line.find("Latent") != std::string::npos;
    });
    if (!phase.in_branch || of_latent == config.has_latent_attention()) phases.push_back(std::move(phase));
  }
  return phases;
}

int lit_phase(const std::vector<CodePhase>& phases, const ViewState& view, bool cell_shown) {
  const int count = static_cast<int>(phases.size());
  if (cell_shown) {
    const auto storing = std::find_if(phases.begin(), phases.end(),
                                      [](const CodePhase& phase) { return phase.comment == kStoringPhase; });
    return storing == phases.end() ? -1 : static_cast<int>(storing - phases.begin());
  }
  if (!view.playing || view.phase >= 1) return -1;
  return std::clamp(static_cast<int>(view.phase * count), 0, count - 1);
}

std::optional<Cell> inspected_cell(const ViewState& view) { return view.hovered ? view.hovered : view.pinned; }

Page draw_inspector(const RunView& run, const ViewState& view, Rect region, float scrolled,
                    const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  Picture picture;
  Column column(picture, region, measure, scrolled);
  const int selected = selected_lane(run, view);
  if (selected < 0) {
    column.paragraph("There is nothing to inspect: no model is open.", fonts::kSmall, palette.soft, kRow);
    return {std::move(picture), column.height()};
  }
  const std::optional<Cell> cell = inspected_cell(view);
  std::optional<CellFacts> facts;
  if (cell) facts = facts_of(run, *cell, view.step);
  if (facts)
    write_cell(column, picture, *facts, palette, measure);
  else
    write_step(column, run, view, selected, palette, measure);
  const int lane = facts ? cell->lane : selected;
  write_code(column, picture, run.lanes[static_cast<size_t>(lane)].config(), view, facts.has_value(), palette, measure);
  return {std::move(picture), column.height()};
}

}  // namespace kv::viewer
