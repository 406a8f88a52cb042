#include "viewer/session/attention_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cpu_reference/attention.h"
#include "cpu_reference/latent_attention.h"
#include "viewer/session/recorder.h"

namespace kv::viewer {

namespace {

// The recorded queries of the last row of a step: [1, heads * key_head_dim].
struct LastRow {
  cpu::Rows<float> queries;
  int64_t position;
};

LastRow last_row(const LaneView& lane, int64_t step, int64_t layer) {
  if (step < 0 || step > lane.last_step())
    throw std::out_of_range(fmt::format("{} has recorded no step {}", lane.facts->name, step));
  if (layer < 0 || layer >= lane.config().layers)
    throw std::out_of_range(fmt::format("{} has no layer {}", lane.facts->name, layer));
  const int64_t position = lane.steps[static_cast<size_t>(step)].context() - 1;
  const std::span<const float> queries = lane.store->queries(layer, position);
  if (queries.empty()) throw std::invalid_argument(fmt::format("layer {} does not attend", layer));
  return {{queries.data(), 1, std::ssize(queries), std::ssize(queries)}, position};
}

const WeightMatrix& latent_up(const LaneView& lane, int64_t layer) {
  return lane.facts->model->weights.layers.at(static_cast<size_t>(layer)).latent_up;
}

}  // namespace

AttentionWeights attention_weights(const LaneView& lane, int64_t step, int64_t layer, cpu::LatentForm form) {
  const ModelConfig& config = lane.config();
  const LastRow row = last_row(lane, step, layer);
  cpu::Team alone;  // one row: nothing to split
  const cpu::Run run{alone};

  AttentionWeights seen;
  seen.context = row.position + 1;
  seen.heads = config.sizes_of(layer).heads;
  cpu::Matrix<float> weights;  // [1, heads * context]
  if (config.has_latent_attention()) {
    weights = cpu::latent_attention_weights<float>(form, row.queries, lane.store->latents(layer),
                                                   latent_up(lane, layer), config, row.position, run);
  } else {
    const int64_t window = config.layer_cache[static_cast<size_t>(layer)].window;
    weights = cpu::attention_weights<float>(row.queries, lane.store->keys(layer),
                                            {seen.heads, config.attention_scale(), window, row.position}, run);
    if (window > 0) seen.first_seen = std::max<int64_t>(0, seen.context - window);
  }
  seen.values.assign(weights.data(), weights.data() + weights.size());
  return seen;
}

FormDifference difference_of_forms(const LaneView& lane, int64_t step, int64_t layer, int64_t head) {
  const ModelConfig& config = lane.config();
  if (!config.has_latent_attention())
    throw std::invalid_argument(fmt::format("{} has no latent attention", lane.facts->name));
  const LastRow row = last_row(lane, step, layer);
  if (head < 0 || head >= config.heads)
    throw std::out_of_range(fmt::format("layer {} of {} has no head {}", layer, lane.facts->name, head));
  // One head of latent attention is latent attention with one head, and a fraction of the work of all.
  ModelConfig one = config;
  one.heads = 1;
  const int64_t rows = config.latent.nope_dim + config.value_head_dim;
  const WeightMatrix up = latent_up(lane, layer).row_block(head * rows, rows);
  const cpu::Rows<float> query = row.queries.columns(head * config.key_head_dim, config.key_head_dim);
  cpu::Team alone;
  const auto attend = [&](cpu::LatentForm form) {
    return cpu::attend_latent<float>(form, query, lane.store->latents(layer), up, one, row.position, cpu::Run{alone});
  };
  const cpu::Matrix<float> absorbed = attend(cpu::LatentForm::absorbed);
  const cpu::Matrix<float> materialised = attend(cpu::LatentForm::materialised);
  FormDifference found;
  for (int64_t i = 0; i < absorbed.size(); ++i) {
    const float a = absorbed.data()[i], m = materialised.data()[i];
    found.largest_difference = std::max(found.largest_difference, std::abs(a - m));
    found.largest_output = std::max(found.largest_output, std::abs(a));
  }
  return found;
}

KvLayout layout_of(const LaneFacts& lane) {
  return {lane.config(), lane.capacity, std::clamp<int64_t>(std::ssize(lane.prompt), 1, Recorder::kPromptPiece)};
}

std::vector<int64_t> positions_by_slot(const KvLayout& layout, int64_t layer, int64_t context) {
  if (layout.description(layer).kind == LayerCache::Kind::none) return {};
  const int64_t slots = layout.slots(layer);
  std::vector<int64_t> positions(static_cast<size_t>(slots), -1);
  for (int64_t position = std::max<int64_t>(0, context - slots); position < context; ++position)
    positions[static_cast<size_t>(layout.slot(layer, position))] = position;
  return positions;
}

}  // namespace kv::viewer
