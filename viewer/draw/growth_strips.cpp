#include "viewer/draw/growth_strips.h"

namespace kv::viewer {

namespace {

struct StoredRole {
  Role role;
  int64_t heads, dim;
};

std::vector<StoredRole> stored_by(const LayerCache& cache) {
  if (cache.kind == LayerCache::Kind::per_head)
    return {{Role::key, cache.kv_heads, cache.key_head_dim}, {Role::value, cache.kv_heads, cache.value_head_dim}};
  if (cache.kind == LayerCache::Kind::latent)
    return {{Role::latent, 1, cache.latent_dim}, {Role::rope_key, 1, cache.rope_dim}};
  return {};
}

bool alike(const LayerCache& a, const LayerCache& b) {
  return a.kind == b.kind && a.window == b.window && a.kv_heads == b.kv_heads && a.key_head_dim == b.key_head_dim &&
         a.value_head_dim == b.value_head_dim && a.latent_dim == b.latent_dim && a.rope_dim == b.rope_dim;
}

const LayerCache& cache_of(const ModelConfig& config, int64_t layer) {
  return config.layer_cache[static_cast<size_t>(layer)];
}

std::vector<Strip> strips_of_layer(const ModelConfig& config, int64_t layer, double value_height) {
  const LayerCache& cache = cache_of(config, layer);
  std::vector<Strip> strips;
  for (const auto& [role, heads, dim] : stored_by(cache)) {
    const bool apart = static_cast<double>(dim) * value_height >= 1;
    const int64_t in_strip = apart ? 1 : heads;
    for (int64_t head = 0; head < heads; head += in_strip)
      strips.push_back({role, layer, 1, head, in_strip, in_strip * dim, cache.window, {}});
  }
  return strips;
}

}  // namespace

std::vector<Strip> strips_of(const ModelConfig& config, int64_t first_layer, int64_t layers, double value_height) {
  if (layers == 1) return strips_of_layer(config, first_layer, value_height);
  std::vector<Strip> keys, values;  // the first role of each run, and the second: K stays above V
  for (int64_t layer = first_layer; layer < first_layer + layers;) {
    int64_t end = layer + 1;
    while (end < first_layer + layers && alike(cache_of(config, layer), cache_of(config, end))) ++end;
    const std::vector<StoredRole> roles = stored_by(cache_of(config, layer));
    for (size_t i = 0; i < roles.size(); ++i)
      (i == 0 ? keys : values)
          .push_back({roles[i].role,
                      layer,
                      end - layer,
                      0,
                      roles[i].heads,
                      (end - layer) * roles[i].heads * roles[i].dim,
                      cache_of(config, layer).window,
                      {}});
    layer = end;
  }
  keys.insert(keys.end(), values.begin(), values.end());
  return keys;
}

int64_t values_of_layers(const ModelConfig& config, int64_t first_layer, int64_t layers) {
  int64_t values = 0;
  for (int64_t layer = first_layer; layer < first_layer + layers; ++layer)
    values += cache_of(config, layer).values_per_token();
  return values;
}

}  // namespace kv::viewer
