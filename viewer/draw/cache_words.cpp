#include "viewer/draw/cache_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/session/attention_view.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

// Null: no layer stores anything.
const LayerCache* first_stored(const ModelConfig& config) {
  const auto found = std::find_if(config.layer_cache.begin(), config.layer_cache.end(),
                                  [](const LayerCache& cache) { return cache.values_per_token() > 0; });
  return found == config.layer_cache.end() ? nullptr : &*found;
}

}  // namespace

std::string stored_heads(const ModelConfig& config) {
  const LayerCache* cache = first_stored(config);
  if (!cache) return "no cache";
  return cache->kind == LayerCache::Kind::latent ? "1 latent" : count_of(cache->kv_heads, "KV head");
}

std::string stored_vectors(const ModelConfig& config) {
  const LayerCache* cache = first_stored(config);
  if (!cache) return "no cache";
  if (cache->kind == LayerCache::Kind::latent)
    return fmt::format("a latent of {} and a rope key of {}", cache->latent_dim, cache->rope_dim);
  if (cache->key_head_dim == cache->value_head_dim)
    return fmt::format("{} of {}", stored_heads(config), cache->key_head_dim);
  return fmt::format("{} of {} (K) and {} (V)", stored_heads(config), cache->key_head_dim, cache->value_head_dim);
}

int64_t first_windowed_layer(const ModelConfig& config) {
  const auto found = std::find_if(config.layer_cache.begin(), config.layer_cache.end(), [](const LayerCache& cache) {
    return cache.window > 0 && cache.values_per_token() > 0;
  });
  return found == config.layer_cache.end() ? -1 : found - config.layer_cache.begin();
}

std::string ring_words(const LaneFacts& lane, int64_t layer) {
  const KvLayout layout = layout_of(lane);
  const int64_t slots = layout.slots(layer), older = layout.description(layer).window - 1;
  const std::string ring = fmt::format("a ring of {}", count_of(slots, "slot"));
  // The first row of a call still looks at the tokens before it, so all of these and the whole call are held at once.
  if (slots < older + layout.largest_call()) return ring + ", as many as the cache has room for";
  const bool in_pieces = std::ssize(lane.prompt) > layout.largest_call();
  return fmt::format("{}, for the window's {} and the {} of {}", ring, count_of(older, "older token"),
                     with_commas(layout.largest_call()), in_pieces ? "a call of the prompt" : "the prompt's call");
}

}  // namespace kv::viewer
