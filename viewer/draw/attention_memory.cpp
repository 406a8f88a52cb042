#include "viewer/draw/attention_memory.h"

#include <span>

#include "model/hash.h"

namespace kv::viewer {

bool AttentionMemory::Key::operator==(const Key& other) const {
  const bool same_store = !store.owner_before(other.store) && !other.store.owner_before(store);
  return same_store && step == other.step && layer == other.layer && which == other.which && tokens == other.tokens;
}

AttentionMemory::Key AttentionMemory::key_of(const LaneView& lane, int64_t step, int64_t layer, int64_t which) {
  Fnv1a hash;
  hash.add(std::as_bytes(lane.tokens.first(static_cast<size_t>(lane.context_at(step)))));
  return {lane.store, step, layer, which, hash.value()};
}

const AttentionWeights& AttentionMemory::weights(const LaneView& lane, int64_t step, int64_t layer,
                                                 cpu::LatentForm form) {
  Key key = key_of(lane, step, layer, static_cast<int64_t>(form));
  if (weights_key_ != key) {
    weights_ = attention_weights(lane, step, layer, form);
    weights_key_ = std::move(key);
  }
  return weights_;
}

const FormDifference& AttentionMemory::difference(const LaneView& lane, int64_t step, int64_t layer, int64_t head) {
  Key key = key_of(lane, step, layer, head);
  if (difference_key_ != key) {
    difference_ = difference_of_forms(lane, step, layer, head);
    difference_key_ = std::move(key);
  }
  return difference_;
}

}  // namespace kv::viewer
