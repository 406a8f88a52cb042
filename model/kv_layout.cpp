#include "model/kv_layout.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace kv {

KvLayout::KvLayout(const ModelConfig& config, int64_t capacity, int64_t largest_call)
    : capacity_(capacity), largest_call_(capacity) {
  if (capacity < 1)
    throw std::invalid_argument("a cache needs a capacity of at least 1, not " + std::to_string(capacity));
  if (largest_call < 1)
    throw std::invalid_argument("the largest call must be at least 1 token, not " + std::to_string(largest_call));
  for (const LayerCache& cache : config.layer_cache)
    if (cache.window > 0) largest_call_ = std::min(largest_call, capacity);
  for (const LayerCache& cache : config.layer_cache) {
    const int64_t slots = cache.window > 0 ? std::min(capacity, cache.window - 1 + largest_call_) : capacity;
    layers_.push_back({cache, slots, size_});
    size_ += slots * cache.values_per_token();
  }
}

int64_t KvLayout::owner(int64_t layer) const {
  const LayerCache& cache = layers_.at(static_cast<size_t>(layer)).cache;
  return cache.kind == LayerCache::Kind::shared ? owner(cache.source) : layer;
}

int64_t KvLayout::key(int64_t layer, int64_t kv_head, int64_t slot) const {
  const Layer& at = layers_[static_cast<size_t>(owner(layer))];
  return at.begin + (kv_head * at.slots + slot) * at.cache.key_head_dim;
}

int64_t KvLayout::value(int64_t layer, int64_t kv_head, int64_t slot) const {
  const Layer& at = layers_[static_cast<size_t>(owner(layer))];
  const int64_t keys = at.cache.kv_heads * at.slots * at.cache.key_head_dim;
  return at.begin + keys + (kv_head * at.slots + slot) * at.cache.value_head_dim;
}

int64_t KvLayout::latent(int64_t layer, int64_t slot) const {
  const Layer& at = layers_[static_cast<size_t>(owner(layer))];
  return at.begin + slot * (at.cache.latent_dim + at.cache.rope_dim);
}

}  // namespace kv
