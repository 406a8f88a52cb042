#include "viewer/draw/attention_start.h"

#include <fmt/format.h>

#include "viewer/draw/shown_numbers.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

std::string what_heads_share(const LaneView& lane) {
  const ModelConfig& config = lane.config();
  const std::string heads = count_of(config.heads, "query head"), &label = lane.facts->label;
  if (config.has_latent_attention())
    return fmt::format(
        "In {} all {} read one latent and one rope key. Absorbed, each query is taken into the latent space and meets "
        "the latents as they are; materialised, every head's K and V are built from them again. The weights are the "
        "same but for rounding.",
        label, heads);
  const int64_t sharing = config.heads / config.kv_heads;
  if (sharing == 1)
    return fmt::format("In {} each of the {} reads a K and a V of its own: nothing is shared, so most is kept.", label,
                       heads);
  return fmt::format(
      "In {} {} {} read the same K and V. Their questions differ, and so do their weights; what they read does not, so "
      "{} times less is kept.",
      label, sharing == config.heads ? "all" : fmt::format("every {} of the", sharing), heads, sharing);
}

// What reading costs: the reason why a cache's size matters in every step.
std::string what_a_step_reads(const LaneView& lane, const ViewState& view) {
  const int64_t step = shown_step(lane, view);
  if (step < 0 || !view.cache_on) return "";
  return fmt::format(" In all layers and heads together this step reads {} of cache.",
                     bytes_text(numbers_of(lane, step).cache_bytes_read));
}

}  // namespace

std::vector<std::string> attention_start_paragraphs(const RunView& run, const ViewState& view) {
  const int index = selected_lane(run, view);
  if (index < 0) return {};
  const LaneView& lane = run.lanes[static_cast<size_t>(index)];
  return {
      "The newest token asks a question in every head: its query. The query meets each stored key, softmax turns "
      "the answers into weights that add up to 1, the bars, and the head takes that much of each stored value." +
          what_a_step_reads(lane, view),
      what_heads_share(lane),
      std::string("Try first: click a layer, or the row of another head.") +
          (run.lanes.size() > 1 ? " Up and Down choose the model." : "") +
          " Point at a bar to see whose it is. Left and Right step: watch the weight move. A weight tells how much "
          "of a token was read, not why."};
}

}  // namespace kv::viewer
