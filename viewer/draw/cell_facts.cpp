#include "viewer/draw/cell_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/session/attention_view.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

bool is_there(const RunView& run, const Cell& cell) {
  if (cell.lane < 0 || cell.lane >= std::ssize(run.lanes)) return false;
  const LaneView& lane = run.lanes[static_cast<size_t>(cell.lane)];
  if (cell.layer < 0 || cell.layer >= lane.config().layers) return false;
  const std::vector<Role> roles = lane.store->roles(cell.layer);
  if (std::find(roles.begin(), roles.end(), cell.role) == roles.end()) return false;
  if (cell.head < 0 || cell.head >= lane.store->heads(cell.layer, cell.role)) return false;
  if (cell.dim && (*cell.dim < 0 || *cell.dim >= lane.store->dim(cell.layer, cell.role))) return false;
  return cell.position >= 0 && cell.position < std::ssize(lane.tokens) &&
         cell.position < lane.context_at(lane.last_step());
}

void note_values(CellFacts& facts) {
  facts.least = facts.largest = facts.values.front();
  double squares = 0;
  for (const float value : facts.values) {
    facts.least = std::min(facts.least, static_cast<double>(value));
    facts.largest = std::max(facts.largest, static_cast<double>(value));
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  facts.rms = std::sqrt(squares / static_cast<double>(facts.values.size()));
}

// Offsets are those of KvLayout, the one place that knows them; the formula repeats its numbers and is tested against
// it.
void note_address(CellFacts& facts, const LaneView& lane, const Cell& cell, int64_t context) {
  const KvLayout layout = layout_of(*lane.facts);
  const LayerCache& description = layout.description(cell.layer);
  facts.slots = layout.slots(cell.layer);
  facts.slot = layout.slot(cell.layer, cell.position);
  facts.window = description.window;
  facts.still_held = cell.position >= context - description.positions_kept(context);
  const int64_t row = std::ssize(facts.values), dim = cell.dim.value_or(0);
  int64_t values = 0, begin = 0;
  std::string inside;
  switch (cell.role) {
    case Role::key:
    case Role::value: {
      const bool key = cell.role == Role::key;
      begin = key ? layout.key(cell.layer, 0, 0) : layout.value(cell.layer, 0, 0);
      values = key ? layout.key(cell.layer, cell.head, facts.slot) : layout.value(cell.layer, cell.head, facts.slot);
      inside = fmt::format("({} x {} + {}) x {}", cell.head, facts.slots, facts.slot, row);
      break;
    }
    case Role::latent:
    case Role::rope_key: {
      const int64_t both = description.latent_dim + description.rope_dim;
      const int64_t in_row = cell.role == Role::latent ? 0 : description.latent_dim;
      begin = layout.latent(cell.layer, 0);
      values = layout.latent(cell.layer, facts.slot) + in_row;
      inside = fmt::format("{} x {}", facts.slot, both);
      if (in_row > 0) inside += fmt::format(" + {}", in_row);
      break;
    }
  }
  const int64_t size = bytes_of(lane.facts->cache_dtype);
  facts.offset = (values + dim) * size;
  facts.formula = fmt::format("({} + {}{}) x {} B", begin, inside, cell.dim ? fmt::format(" + {}", dim) : "", size);
}

}  // namespace

std::string_view writer_of(bool latent) { return latent ? "KvCache::append_latent" : "KvCache::append"; }

std::string spoken_token(const LaneView& lane, int32_t token) {
  const auto& tokenizer = lane.facts->model->tokenizer;
  if (!tokenizer) return fmt::format("id {}", token);
  std::string label = tokenizer->token_label(token);
  const size_t word = label.find_first_not_of(' ');
  if (word != std::string::npos) label.erase(0, word);
  return fmt::format("\"{}\"", label);
}

std::optional<CellFacts> facts_of(const RunView& run, const Cell& cell, int64_t step) {
  if (!is_there(run, cell)) return std::nullopt;
  const LaneView& lane = run.lanes[static_cast<size_t>(cell.lane)];
  CellFacts facts;
  facts.lane = lane.facts->label;
  facts.token = spoken_token(lane, lane.tokens[static_cast<size_t>(cell.position)]);
  facts.layer = cell.layer;
  facts.position = cell.position;
  facts.of_prompt = cell.position < std::ssize(lane.facts->prompt);
  facts.role = cell.role;
  facts.head = cell.head;
  facts.heads = lane.store->heads(cell.layer, cell.role);
  facts.query_heads = lane.config().sizes_of(cell.layer).heads / facts.heads;
  facts.first_query_head = cell.head * facts.query_heads;
  facts.dim = cell.dim;
  facts.values = lane.store->vector(cell.layer, cell.role, cell.head, cell.position);
  facts.dtype = lane.facts->cache_dtype;
  facts.bytes = (cell.dim ? 1 : std::ssize(facts.values)) * bytes_of(facts.dtype);
  note_values(facts);
  note_address(facts, lane, cell, lane.context_at(step));
  facts.written_by = writer_of(cell.role == Role::latent || cell.role == Role::rope_key);
  return facts;
}

std::string number_in_words(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size < 0.001 || size >= 10000)) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4);
}

std::string title_of(const CellFacts& facts) {
  const std::string head = facts.heads > 1 ? fmt::format(" of KV head {}", facts.head) : "";
  return fmt::format("{}, layer {}: {}{}, {} at position {}", facts.lane, facts.layer, name_of(facts.role), head,
                     facts.token, with_commas(facts.position));
}

std::vector<std::string> sentences_of(const CellFacts& facts) {
  std::vector<std::string> lines = {title_of(facts) + "."};
  const int64_t last_query = facts.first_query_head + facts.query_heads - 1;
  lines.push_back(facts.query_heads == 1
                      ? fmt::format("Query head {} alone reads it.", facts.first_query_head)
                      : fmt::format("Query heads {} to {} share it.", facts.first_query_head, last_query));
  if (facts.dim)
    lines.push_back(fmt::format("Number {} of {} is {}.", *facts.dim, facts.values.size(),
                                number_in_words(facts.values[static_cast<size_t>(*facts.dim)])));
  lines.push_back(fmt::format("{} numbers from {} to {}, RMS {}.", facts.values.size(), number_in_words(facts.least),
                              number_in_words(facts.largest), number_in_words(facts.rms)));
  const std::string where =
      facts.still_held ? fmt::format("Slot {} of {}", with_commas(facts.slot), with_commas(facts.slots))
                       : fmt::format("Beyond the window of {}, no longer kept; it was in slot {} of {}",
                                     with_commas(facts.window), with_commas(facts.slot), with_commas(facts.slots));
  lines.push_back(fmt::format("{}: {} ({}) at byte {} = {}.", where, exact_bytes_text(facts.bytes),
                              name_of(facts.dtype), with_commas(facts.offset), facts.formula));
  return lines;
}

}  // namespace kv::viewer
