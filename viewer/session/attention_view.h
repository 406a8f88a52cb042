// What attention did in one recorded step, computed again from the recorded queries and the stored keys by the
// reference's own functions: the same bits as then (tests demand that).
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_reference/latent_form.h"
#include "model/kv_layout.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Of the last row of a step, in one layer.
struct AttentionWeights {
  int64_t heads = 0;
  int64_t context = 0;
  int64_t first_seen = 0;     // positions before it lie outside the window, with weight 0
  std::vector<float> values;  // [heads, context]; each head's sum to 1

  float at(int64_t head, int64_t position) const { return values[static_cast<size_t>(head * context + position)]; }
};
// The form matters for latent attention alone. Throws std::out_of_range for a step that is not recorded, and
// std::invalid_argument for a layer that does not attend.
AttentionWeights attention_weights(const LaneView& lane, int64_t step, int64_t layer,
                                   cpu::LatentForm form = cpu::LatentForm::absorbed);

// Latent attention: the largest difference between the two forms in what one head gives ([value_head_dim]), computed
// now, with the head's largest output beside it. Throws as above; std::out_of_range for a head that is not there, and
// std::invalid_argument without latent attention.
struct FormDifference {
  float largest_difference = 0;
  float largest_output = 0;
};
FormDifference difference_of_forms(const LaneView& lane, int64_t step, int64_t layer, int64_t head);

// The cache as it would lie in memory if it were made for this run alone: layers with windows are rings, with room for
// the run's largest call, a piece of its prompt.
KvLayout layout_of(const LaneFacts& lane);
// The position that lies in each slot of a layer after `context` tokens, -1 for none. Without a window slot and
// position are the same.
std::vector<int64_t> positions_by_slot(const KvLayout& layout, int64_t layer, int64_t context);

}  // namespace kv::viewer
