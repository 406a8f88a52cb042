// KvLayout: the only place that turns (layer, kv head, slot, dim) into an offset. Offsets are in values, 64-bit.
//
// One arena, layer after layer. A per-head layer holds K [kv_heads, slots, key_head_dim], then V [kv_heads, slots,
// value_head_dim]; a latent layer holds [slots, latent_dim + rope_dim], each row the latent and then the rope key.
// A layer with a window is a ring: position p lies in slot p mod slots. Elsewhere slot and position are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config.h"

namespace kv {

class KvLayout {
 public:
  // capacity: positions of a sequence. largest_call: tokens that one call may append; a ring needs room for window - 1
  // earlier positions and the whole call, since the call's first row still looks at all of them. Without a window in
  // any layer a call may be as long as the capacity.
  KvLayout(const ModelConfig& config, int64_t capacity, int64_t largest_call);

  // The layer whose storage `layer` uses: itself, or the one it shares.
  int64_t owner(int64_t layer) const;
  const LayerCache& description(int64_t layer) const { return layers_[static_cast<size_t>(owner(layer))].cache; }
  int64_t slots(int64_t layer) const { return layers_[static_cast<size_t>(owner(layer))].slots; }
  int64_t slot(int64_t layer, int64_t position) const { return position % slots(layer); }
  int64_t largest_call() const { return largest_call_; }
  int64_t capacity() const { return capacity_; }

  // First value of a row.
  int64_t key(int64_t layer, int64_t kv_head, int64_t slot) const;
  int64_t value(int64_t layer, int64_t kv_head, int64_t slot) const;
  int64_t latent(int64_t layer, int64_t slot) const;

  // Values in the whole arena.
  int64_t size() const { return size_; }

 private:
  struct Layer {
    LayerCache cache;
    int64_t slots = 0;
    int64_t begin = 0;
  };
  std::vector<Layer> layers_;
  int64_t capacity_ = 0, largest_call_ = 0, size_ = 0;
};

}  // namespace kv
