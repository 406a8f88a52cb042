#include "model/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/checked.h"
#include "model/parameters.h"

namespace kv {

namespace {

int64_t divided_up(int64_t value, int64_t parts) { return value / parts + (value % parts != 0 ? 1 : 0); }

// What a device has for each of `batch` requests' caches, their states aside.
int64_t cache_room(const ModelConfig& config, const Serving& serving, int64_t batch) {
  const int64_t room = serving.room();
  return room < 0 ? -1 : room / batch - request_state_bytes(config, serving.ranks);
}

}  // namespace

// --- Weights ---

int64_t weight_bytes(int64_t parameters, const NumberFormat& format) {
  const int64_t blocks = parameters / format.block_values, rest = parameters % format.block_values;
  return checked_sum(
      {checked_product({blocks, format.block_bytes}), divided_up(rest * format.block_bytes, format.block_values)});
}

int64_t weight_bytes(const ModelConfig& config, const NumberFormat& format) {
  return weight_bytes(parameter_count(config), format);
}

// --- Caches ---

void require_ranks(const ModelConfig& config, int64_t ranks) {
  if (ranks < 1) throw std::invalid_argument(fmt::format("a model runs on 1 rank or more, not {}", ranks));
  for (const LayerCache& layer : config.layer_cache)
    if (layer.kind == LayerCache::Kind::per_head && ranks % layer.kv_heads != 0 && layer.kv_heads % ranks != 0)
      throw std::invalid_argument(
          fmt::format("{} KV heads cannot be shared evenly by {} ranks: the ranks must divide the heads, or be a "
                      "multiple of them",
                      layer.kv_heads, ranks));
}

int64_t cache_row_bytes(const LayerCache& layer, const NumberFormat& format, int64_t ranks) {
  switch (layer.kind) {
    case LayerCache::Kind::per_head:
      return checked_product({std::max<int64_t>(1, layer.kv_heads / ranks),
                              format.row_bytes(layer.key_head_dim) + format.row_bytes(layer.value_head_dim)});
    case LayerCache::Kind::latent: return format.row_bytes(layer.latent_dim) + format.row_bytes(layer.rope_dim);
    case LayerCache::Kind::shared:
    case LayerCache::Kind::none: return 0;
  }
  return 0;
}

int64_t request_cache_bytes(const ModelConfig& config, int64_t tokens, const NumberFormat& format, int64_t ranks) {
  int64_t bytes = 0;
  for (const LayerCache& layer : config.layer_cache)
    bytes =
        checked_sum({bytes, checked_product({layer.positions_kept(tokens), cache_row_bytes(layer, format, ranks)})});
  return bytes;
}

int64_t cache_bytes_past_windows(const ModelConfig& config, const NumberFormat& format, int64_t ranks) {
  int64_t bytes = 0;
  for (const LayerCache& layer : config.layer_cache)
    if (layer.window == 0) bytes = checked_sum({bytes, cache_row_bytes(layer, format, ranks)});
  return bytes;
}

int64_t request_state_bytes(const ModelConfig& config, int64_t ranks) {
  int64_t bytes = 0;
  for (const LayerCache& layer : config.layer_cache) bytes = checked_sum({bytes, divided_up(layer.state_bytes, ranks)});
  return bytes;
}

// --- A device ---

int64_t Serving::room() const { return checked_sum({memory_bytes, -reserve_bytes, -divided_up(weights_bytes, ranks)}); }

int64_t free_bytes(const ModelConfig& config, const Serving& serving, int64_t tokens, int64_t batch) {
  const int64_t request = checked_sum(
      {request_cache_bytes(config, tokens, serving.cache, serving.ranks), request_state_bytes(config, serving.ranks)});
  return checked_sum({serving.room(), -checked_product({batch, request})});
}

std::optional<int64_t> most_requests(const ModelConfig& config, const Serving& serving, int64_t tokens) {
  const int64_t request = checked_sum(
      {request_cache_bytes(config, tokens, serving.cache, serving.ranks), request_state_bytes(config, serving.ranks)});
  if (serving.room() < 0) return 0;
  if (request == 0) return std::nullopt;
  return serving.room() / request;
}

std::optional<int64_t> longest_requests(const ModelConfig& config, const Serving& serving, int64_t batch) {
  const int64_t room = cache_room(config, serving, batch);
  if (room < 0) return 0;
  const auto fits = [&](int64_t tokens) {
    return request_cache_bytes(config, tokens, serving.cache, serving.ranks) <= room;
  };

  // No request is longer than the room over what each token surely adds; past all windows nothing may be added.
  int64_t longest_window = 0;
  for (const LayerCache& layer : config.layer_cache) longest_window = std::max(longest_window, layer.window);
  const int64_t each = cache_bytes_past_windows(config, serving.cache, serving.ranks);
  if (each == 0 && fits(longest_window)) return std::nullopt;

  int64_t fitting = 0, too_long = (each == 0 ? longest_window : room / each) + 1;
  while (too_long - fitting > 1) {
    const int64_t middle = fitting + (too_long - fitting) / 2;
    (fits(middle) ? fitting : too_long) = middle;
  }
  return fitting;
}

}  // namespace kv
