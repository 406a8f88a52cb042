#include "model/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kv {

std::string_view name_of(Family family) {
  switch (family) {
    case Family::llama: return "llama";
    case Family::mistral: return "mistral";
    case Family::qwen2: return "qwen2";
    case Family::qwen3: return "qwen3";
    case Family::deepseek_v2: return "deepseek_v2";
    case Family::deepseek_v3: return "deepseek_v3";
    case Family::mixtral: return "mixtral";
    case Family::qwen2_moe: return "qwen2_moe";
    case Family::qwen3_moe: return "qwen3_moe";
    case Family::gemma2: return "gemma2";
    case Family::gemma3: return "gemma3";
    case Family::phi3: return "phi3";
    case Family::falcon: return "falcon";
    case Family::gpt2: return "gpt2";
    case Family::gpt_bigcode: return "gpt_bigcode";
    case Family::gpt_neox: return "gpt_neox";
    case Family::starcoder2: return "starcoder2";
    case Family::olmo2: return "olmo2";
    case Family::gpt_oss: return "gpt_oss";
    case Family::minicpm3: return "minicpm3";
    case Family::cohere: return "cohere";
    case Family::opt: return "opt";
    case Family::jamba: return "jamba";
    case Family::qwen3_5: return "qwen3_5";
  }
  return "?";
}

LayerCache LayerCache::per_head(int64_t kv_heads, int64_t key_head_dim, int64_t value_head_dim, int64_t window) {
  LayerCache cache;
  cache.kind = Kind::per_head;
  cache.kv_heads = kv_heads;
  cache.key_head_dim = key_head_dim;
  cache.value_head_dim = value_head_dim;
  cache.window = window;
  return cache;
}

LayerCache LayerCache::latent(int64_t latent_dim, int64_t rope_dim) {
  LayerCache cache;
  cache.kind = Kind::latent;
  cache.latent_dim = latent_dim;
  cache.rope_dim = rope_dim;
  return cache;
}

LayerCache LayerCache::shared_with(int64_t layer, int64_t window) {
  LayerCache cache;
  cache.kind = Kind::shared;
  cache.source = layer;
  cache.window = window;
  return cache;
}

int64_t LayerCache::values_per_token() const {
  switch (kind) {
    case Kind::per_head: return kv_heads * (key_head_dim + value_head_dim);
    case Kind::latent: return latent_dim + rope_dim;
    case Kind::shared:
    case Kind::none: return 0;
  }
  return 0;
}

int64_t LayerCache::positions_kept(int64_t length) const { return window > 0 ? std::min(length, window) : length; }

double ModelConfig::attention_scale() const {
  double scale = 1.0 / std::sqrt(static_cast<double>(key_head_dim));
  if (has_latent_attention() && rope.scaling == RopeConfig::Scaling::yarn && rope.mscale_all_dim > 0 &&
      rope.factor > 1) {
    const double growth = 0.1 * rope.mscale_all_dim * std::log(rope.factor) + 1.0;
    scale *= growth * growth;
  }
  return scale;
}

int64_t ModelConfig::cache_values_per_token() const {
  int64_t values = 0;
  for (const LayerCache& cache : layer_cache) values += cache.values_per_token();
  return values;
}

int64_t cache_bytes(std::span<const LayerCache> layers, int64_t length, Dtype dtype) {
  int64_t values = 0;
  for (const LayerCache& cache : layers) values += cache.values_per_token() * cache.positions_kept(length);
  return values * bytes_of(dtype);
}

namespace {

void demand(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

void demand_positive(const char* field, int64_t value) {
  demand(value > 0, fmt::format("{} must be positive, but is {}", field, value));
}

void validate_layer(const ModelConfig& config, int64_t layer) {
  const LayerCache& cache = config.layer_cache[static_cast<size_t>(layer)];
  const LayerSizes sizes = config.sizes_of(layer);
  const auto at = [&](const std::string& what) { return fmt::format("layer {}: {}", layer, what); };
  demand(sizes.heads > 0 && sizes.kv_heads > 0 && sizes.hidden_dim > 0, at("heads, kv_heads or hidden_dim is 0"));
  demand(sizes.heads % sizes.kv_heads == 0,
         at(fmt::format("heads ({}) must be a multiple of kv_heads ({})", sizes.heads, sizes.kv_heads)));
  demand(cache.window >= 0, at("the window is negative"));
  demand(cache.state_bytes >= 0, at("the state has a negative size"));
  switch (cache.kind) {
    case LayerCache::Kind::per_head:
      demand(cache.kv_heads > 0 && cache.key_head_dim > 0 && cache.value_head_dim > 0,
             at("a per-head cache has a size of 0"));
      demand(cache.kv_heads == sizes.kv_heads,
             at(fmt::format("the cache has {} kv_heads, the layer {}", cache.kv_heads, sizes.kv_heads)));
      break;
    case LayerCache::Kind::latent:
      demand(cache.latent_dim > 0 && cache.rope_dim > 0, at("a latent cache has a size of 0"));
      break;
    case LayerCache::Kind::shared:
      demand(cache.source >= 0 && cache.source < layer, at("shares the cache of a layer that does not come before it"));
      break;
    case LayerCache::Kind::none: break;
  }
}

// A model that is only described may rotate a part of each head, or none.
void validate_rotation(const ModelConfig& config) {
  if (!config.cannot_run.empty())
    return demand(
        config.rope.dim >= 0 && config.rope.dim <= config.key_head_dim,
        fmt::format("the rope dimension is {}, of a key_head_dim of {}", config.rope.dim, config.key_head_dim));
  demand(config.rope.dim > 0 && config.rope.dim % 2 == 0,
         fmt::format("the rope dimension must be even and positive, but is {}", config.rope.dim));
  if (config.has_latent_attention())
    demand(config.rope.dim == config.latent.rope_dim, "with latent attention the rope dimension is rope_dim");
  else
    demand(config.rope.dim == config.key_head_dim,
           fmt::format("rope dimension ({}) and key_head_dim ({}) differ", config.rope.dim, config.key_head_dim));
  demand(config.rope.theta > 0 && std::isfinite(config.rope.theta), fmt::format("rope theta is {}", config.rope.theta));
  demand(config.rope.factor > 0 && std::isfinite(config.rope.factor),
         fmt::format("rope factor is {}", config.rope.factor));
  demand(config.rope.divisors.empty() || std::ssize(config.rope.divisors) == config.rope.dim / 2,
         fmt::format("{} rope divisors for {} pairs", config.rope.divisors.size(), config.rope.dim / 2));
  for (const double divisor : config.rope.divisors)
    demand(divisor > 0 && std::isfinite(divisor), fmt::format("a rope divisor is {}", divisor));
}

void validate_experts(const ExpertsConfig& experts) {
  demand(experts.count >= 0 && experts.used >= 0 && experts.used <= experts.count,
         fmt::format("{} experts, of which a token uses {}", experts.count, experts.used));
  demand(experts.count == 0 || experts.hidden_dim > 0, fmt::format("hidden_dim of experts is {}", experts.hidden_dim));
  demand(experts.shared_hidden_dim >= 0, fmt::format("hidden_dim of shared experts is {}", experts.shared_hidden_dim));
}

}  // namespace

void validate(const ModelConfig& config) {
  demand_positive("layers", config.layers);
  demand_positive("model_dim", config.model_dim);
  demand_positive("hidden_dim", config.hidden_dim);
  demand_positive("vocab", config.vocab);
  demand_positive("max_context", config.max_context);
  demand_positive("heads", config.heads);
  demand_positive("kv_heads", config.kv_heads);
  demand_positive("key_head_dim", config.key_head_dim);
  demand_positive("value_head_dim", config.value_head_dim);
  if (config.layer_sizes.empty())
    demand(config.heads % config.kv_heads == 0,
           fmt::format("heads ({}) must be a multiple of kv_heads ({})", config.heads, config.kv_heads));
  else
    demand(std::ssize(config.layer_sizes) == config.layers,
           fmt::format("sizes of {} layers for {} layers", config.layer_sizes.size(), config.layers));
  demand(config.norm_eps >= 0 && std::isfinite(config.norm_eps), fmt::format("norm_eps is {}", config.norm_eps));
  validate_rotation(config);
  validate_experts(config.experts);
  if (config.has_latent_attention()) {
    demand_positive("nope_dim", config.latent.nope_dim);
    demand_positive("rope_dim", config.latent.rope_dim);
    demand(config.latent.query_latent_dim >= 0, fmt::format("query_latent_dim is {}", config.latent.query_latent_dim));
    demand(config.kv_heads == config.heads,
           fmt::format("latent attention needs kv_heads ({}) equal to heads ({})", config.kv_heads, config.heads));
    demand(config.key_head_dim == config.latent.nope_dim + config.latent.rope_dim,
           "with latent attention key_head_dim is nope_dim + rope_dim");
  }
  demand(std::ssize(config.layer_cache) == config.layers,
         fmt::format("{} cache descriptions for {} layers", config.layer_cache.size(), config.layers));
  for (int64_t layer = 0; layer < config.layers; ++layer) validate_layer(config, layer);
}

}  // namespace kv
