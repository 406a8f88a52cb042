// AttentionMemory: the weights drawn last, since a step is drawn many times. It changes the speed and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "viewer/session/attention_view.h"

namespace kv::viewer {

class AttentionMemory {
 public:
  // What attention_weights and difference_of_forms give. Valid until the next call.
  const AttentionWeights& weights(const LaneView& lane, int64_t step, int64_t layer, cpu::LatentForm form);
  const FormDifference& difference(const LaneView& lane, int64_t step, int64_t layer, int64_t head);

 private:
  // Which vectors were looked at: a store, and the tokens that stand in it, since branching changes these.
  struct Key {
    std::weak_ptr<const KvStore> store;
    int64_t step = -1, layer = 0;
    int64_t which = 0;    // the form of the weights, the head of the difference
    uint64_t tokens = 0;  // a hash of them

    bool operator==(const Key& other) const;
  };
  static Key key_of(const LaneView& lane, int64_t step, int64_t layer, int64_t which);

  std::optional<Key> weights_key_, difference_key_;
  AttentionWeights weights_;
  FormDifference difference_;
};

}  // namespace kv::viewer
