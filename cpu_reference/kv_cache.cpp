#include "cpu_reference/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/error.h"

namespace kv::cpu {

KvCache::KvCache(const ModelConfig& config, int64_t capacity, Dtype dtype, int64_t largest_call)
    : layers_(config.layer_cache), layout_(config, capacity, largest_call), dtype_(dtype), oldest_(layers_.size(), 0) {
  // All bits set is a NaN in every storage type: a row that is read before it is written cannot go unseen.
  bytes_.assign(static_cast<size_t>(layout_.size() * bytes_of(dtype)), std::byte{0xff});
}

void KvCache::require_room(int64_t tokens) const {
  if (tokens <= capacity() - length_) return;
  throw CacheFull(fmt::format("the cache is full: it holds {} of {} tokens and {} more {} asked for", length_,
                              capacity(), tokens, tokens == 1 ? "was" : "were"));
}

template <class Scalar>
void KvCache::append(int64_t layer, Rows<Scalar> keys, Rows<Scalar> values, const Run& run) {
  require_room(keys.rows);
  const LayerCache& cache = layers_.at(static_cast<size_t>(layer));
  expect_shape("appended keys", keys.shape(), {keys.rows, cache.kv_heads * cache.key_head_dim});
  expect_shape("appended values", values.shape(), {keys.rows, cache.kv_heads * cache.value_head_dim});
  for (int64_t head = 0; head < cache.kv_heads; ++head)
    for (int64_t t = 0; t < keys.rows; ++t) {
      const int64_t slot = layout_.slot(layer, length_ + t);
      store_row(at(layout_.key(layer, head, slot)), dtype_, keys.row(t) + head * cache.key_head_dim,
                cache.key_head_dim);
      store_row(at(layout_.value(layer, head, slot)), dtype_, values.row(t) + head * cache.value_head_dim,
                cache.value_head_dim);
      run.count(&Counters::cache_bytes_written, (cache.key_head_dim + cache.value_head_dim) * bytes_of(dtype_));
    }
  note_written(layer, keys.rows);
}

template <class Scalar>
void KvCache::append_latent(int64_t layer, Rows<Scalar> latents, Rows<Scalar> rope_keys, const Run& run) {
  require_room(latents.rows);
  const LayerCache& cache = layers_.at(static_cast<size_t>(layer));
  expect_shape("appended latents", latents.shape(), {latents.rows, cache.latent_dim});
  expect_shape("appended rope keys", rope_keys.shape(), {latents.rows, cache.rope_dim});
  for (int64_t t = 0; t < latents.rows; ++t) {
    const int64_t row = layout_.latent(layer, layout_.slot(layer, length_ + t));
    store_row(at(row), dtype_, latents.row(t), cache.latent_dim);
    store_row(at(row + cache.latent_dim), dtype_, rope_keys.row(t), cache.rope_dim);
    run.count(&Counters::cache_bytes_written, (cache.latent_dim + cache.rope_dim) * bytes_of(dtype_));
  }
  note_written(layer, latents.rows);
}

void KvCache::note_written(int64_t layer, int64_t tokens) {
  int64_t& oldest = oldest_[static_cast<size_t>(layer)];
  oldest = std::max(oldest, length_ + tokens - layout_.slots(layer));
}

void KvCache::advance(int64_t tokens) {
  require_room(tokens);
  length_ += tokens;
}

StoredRows KvCache::keys(int64_t layer) const {
  const LayerCache& cache = layout_.description(layer);
  const int64_t slots = layout_.slots(layer);
  return {at(layout_.key(layer, 0, 0)), dtype_, cache.kv_heads, cache.key_head_dim, slots, slots * cache.key_head_dim,
          cache.key_head_dim,           true};
}

StoredRows KvCache::values(int64_t layer) const {
  const LayerCache& cache = layout_.description(layer);
  const int64_t slots = layout_.slots(layer);
  return {at(layout_.value(layer, 0, 0)), dtype_, cache.kv_heads,
          cache.value_head_dim,           slots,  slots * cache.value_head_dim,
          cache.value_head_dim,           true};
}

StoredRows KvCache::latents(int64_t layer) const {
  const LayerCache& cache = layout_.description(layer);
  const int64_t dim = cache.latent_dim + cache.rope_dim;
  return {at(layout_.latent(layer, 0)), dtype_, 1, dim, layout_.slots(layer), 0, dim, true};
}

void KvCache::truncate(int64_t length) {
  if (length < 0 || length > length_)
    throw std::invalid_argument(fmt::format("cannot truncate a cache of {} tokens to {}", length_, length));
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    const int64_t window = layers_[layer].window;
    const int64_t needed = window > 0 ? std::max<int64_t>(0, length - window + 1) : 0;
    if (needed < length && oldest_[layer] > needed)
      throw std::invalid_argument(fmt::format(
          "cannot truncate {} tokens to {}: layer {} would need position {} next, but its ring only holds {} and later",
          length_, length, layer, needed, oldest_[layer]));
  }
  length_ = length;
  if (length == 0) reset();
}

void KvCache::reset() {
  length_ = 0;
  std::fill(oldest_.begin(), oldest_.end(), 0);
}

template void KvCache::append(int64_t, Rows<float>, Rows<float>, const Run&);
template void KvCache::append(int64_t, Rows<double>, Rows<double>, const Run&);
template void KvCache::append_latent(int64_t, Rows<float>, Rows<float>, const Run&);
template void KvCache::append_latent(int64_t, Rows<double>, Rows<double>, const Run&);

}  // namespace kv::cpu
