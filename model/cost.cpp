#include "model/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/checked.h"

namespace kv {

namespace {

constexpr auto times = [](auto... factors) { return checked_product({static_cast<int64_t>(factors)...}); };
constexpr auto plus = [](auto... terms) { return checked_sum({static_cast<int64_t>(terms)...}); };

// A LayerNorm also takes the mean (a sum and a subtraction) and adds a bias.
constexpr int64_t kLayerNormExtraFlopsPerValue = 3;
// An activation without a gate: exp, add, divide, and a product.
constexpr int64_t kActivationFlopsPerValue = 4;

// (query, key) pairs of one sequence: row t, at position past + t, sees min(past + t + 1, window) keys.
int64_t pairs_of(int64_t past, int64_t tokens, int64_t window) {
  const auto triangle = [](int64_t n) { return times(n, n + 1) / 2; };  // 1 + 2 + ... + n
  const auto up_to = [&](int64_t length) {                              // pairs of positions 0 .. length - 1
    if (window == 0 || length <= window) return triangle(length);
    return plus(triangle(window), times(length - window, window));
  };
  return up_to(plus(past, tokens)) - up_to(past);
}

// Positions between the first that the first row sees and the last row's own.
int64_t positions_read(int64_t past, int64_t tokens, int64_t window) {
  return plus(past, tokens) - (window == 0 ? 0 : std::max<int64_t>(0, past + 1 - window));
}

}  // namespace

int64_t Cost::flops() const { return plus(matmul_flops, other_flops); }
int64_t Cost::memory_bytes() const { return plus(weight_bytes, cache_bytes_read, cache_bytes_written); }

Cost& Cost::operator+=(const Cost& other) {
  matmul_flops = plus(matmul_flops, other.matmul_flops);
  other_flops = plus(other_flops, other.other_flops);
  weight_bytes = plus(weight_bytes, other.weight_bytes);
  cache_bytes_read = plus(cache_bytes_read, other.cache_bytes_read);
  cache_bytes_written = plus(cache_bytes_written, other.cache_bytes_written);
  kv_projections = plus(kv_projections, other.kv_projections);
  score_pairs = plus(score_pairs, other.score_pairs);
  activation_bytes = plus(activation_bytes, other.activation_bytes);
  return *this;
}

Cost operator+(Cost a, const Cost& b) { return a += b; }

Counters as_counters(const Cost& cost) {
  const auto count = [](int64_t value) { return static_cast<uint64_t>(value); };
  return {.matmul_flops = count(cost.matmul_flops),
          .other_flops = count(cost.other_flops),
          .weight_bytes = count(cost.weight_bytes),
          .cache_bytes_read = count(cost.cache_bytes_read),
          .cache_bytes_written = count(cost.cache_bytes_written),
          .kv_projections = count(cost.kv_projections),
          .score_pairs = count(cost.score_pairs)};
}

int64_t Call::rows() const { return times(batch, tokens); }

// --- Operations ---

Cost embedding_cost(const ModelConfig& config, int64_t rows, const Storage& storage) {
  Cost cost;
  cost.weight_bytes = times(rows, storage.weights.row_bytes(config.model_dim));
  cost.activation_bytes = times(rows, storage.compute.row_bytes(config.model_dim));
  if (config.learned_positions == 0) return cost;
  cost.weight_bytes = times(2, cost.weight_bytes);
  return cost + residual_cost(rows, config.model_dim, storage);
}

Cost projection_cost(int64_t rows, int64_t in, int64_t out, bool bias, const Storage& storage) {
  Cost cost;
  cost.matmul_flops = times(2, rows, in, out);
  cost.weight_bytes = times(out, storage.weights.row_bytes(in));
  cost.activation_bytes = times(rows, plus(storage.compute.row_bytes(in), storage.compute.row_bytes(out)));
  if (bias) {
    cost.other_flops = times(rows, out);
    cost.weight_bytes = plus(cost.weight_bytes, storage.weights.row_bytes(out));
  }
  return cost;
}

Cost norm_cost(int64_t rows, int64_t each, int64_t dim, bool bias, const Storage& storage) {
  Cost cost;
  const int64_t flops = kNormFlopsPerValue + (bias ? kLayerNormExtraFlopsPerValue : 0);
  cost.other_flops = times(rows, each, dim, flops);
  cost.weight_bytes = times(bias ? 2 : 1, storage.weights.row_bytes(dim));
  cost.activation_bytes = times(2, rows, each, storage.compute.row_bytes(dim));
  return cost;
}

Cost rope_cost(int64_t rows, int64_t heads, int64_t dim, const Storage& storage) {
  Cost cost;
  cost.other_flops = times(rows, heads, dim, kRopeFlopsPerValue);
  cost.activation_bytes = times(2, rows, heads, storage.compute.row_bytes(dim));
  return cost;
}

Cost residual_cost(int64_t rows, int64_t dim, const Storage& storage) {
  Cost cost;
  cost.other_flops = times(rows, dim);
  cost.activation_bytes = times(3, rows, storage.compute.row_bytes(dim));
  return cost;
}

Cost attention_cost(const Call& call, const AttentionWork& work, const Storage& storage) {
  Cost cost;
  cost.score_pairs = times(call.batch, pairs_of(call.past, call.tokens, work.window));
  const int64_t dots = times(cost.score_pairs, work.heads);
  cost.matmul_flops = times(2, dots, plus(work.key_dim, work.value_dim));
  cost.other_flops = times(dots, kSoftmaxFlopsPerScore);
  if (work.sinks) {
    cost.other_flops = plus(cost.other_flops, times(call.rows(), work.heads, kSoftmaxFlopsPerScore));
    cost.weight_bytes = storage.weights.row_bytes(work.heads);
  }
  if (call.cache == CacheWork::on)
    cost.cache_bytes_read = times(call.batch, positions_read(call.past, call.tokens, work.window), work.row_bytes);
  cost.activation_bytes =
      times(call.rows(), work.heads,
            plus(storage.compute.row_bytes(work.key_dim), storage.compute.row_bytes(work.value_dim)));
  return cost;
}

namespace {

// What a call appends to the cache: one row of `row_bytes` for each token.
Cost append_cost(const Call& call, int64_t row_bytes) {
  Cost cost;
  cost.kv_projections = call.rows();
  if (call.cache == CacheWork::on) cost.cache_bytes_written = times(call.rows(), row_bytes);
  return cost;
}

// Q, K and V, their norms and rotation, the cache, attention. Layers that share a cache have no K and V of their own.
Cost per_head_cost(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage) {
  const LayerCache& own = config.layer_cache[static_cast<size_t>(layer)];
  const bool shares = own.kind == LayerCache::Kind::shared;
  const LayerCache& cache = shares ? config.layer_cache[static_cast<size_t>(own.source)] : own;
  const int64_t rows = call.rows(), heads = config.sizes_of(layer).heads, kv_heads = cache.kv_heads;
  const int64_t key_dim = cache.key_head_dim, value_dim = cache.value_head_dim;

  Cost cost = projection_cost(rows, config.model_dim, heads * key_dim, config.qkv_bias, storage);
  if (config.query_key_norm) cost += norm_cost(rows, heads, key_dim, false, storage);
  if (config.norm_of_all_heads) cost += norm_cost(rows, 1, heads * key_dim, false, storage);
  if (config.rope.dim > 0) cost += rope_cost(rows, heads, config.rope.dim, storage);
  const int64_t row_bytes = kv_heads * (storage.cache.row_bytes(key_dim) + storage.cache.row_bytes(value_dim));
  if (!shares) {
    cost += projection_cost(rows, config.model_dim, kv_heads * key_dim, config.qkv_bias, storage);
    cost += projection_cost(rows, config.model_dim, kv_heads * value_dim, config.qkv_bias, storage);
    if (config.query_key_norm) cost += norm_cost(rows, kv_heads, key_dim, false, storage);
    if (config.norm_of_all_heads) cost += norm_cost(rows, 1, kv_heads * key_dim, false, storage);
    if (config.rope.dim > 0) cost += rope_cost(rows, kv_heads, config.rope.dim, storage);
    cost += append_cost(call, row_bytes);
  }
  cost += attention_cost(call, {heads, key_dim, value_dim, own.window, row_bytes, config.attention_sinks}, storage);
  return cost + projection_cost(rows, heads * value_dim, config.model_dim, config.output_bias, storage);
}

// The up-projection's weights, as heads of key rows and value rows, on `rows` latents.
Cost latent_up_cost(const ModelConfig& config, int64_t rows, const Storage& storage) {
  return projection_cost(rows, config.latent.latent_dim,
                         config.heads * (config.latent.nope_dim + config.value_head_dim), false, storage);
}

// From the queries to the heads' outputs, in one of the three forms.
Cost latent_core_cost(const ModelConfig& config, const Call& call, const Storage& storage) {
  const int64_t heads = config.heads, latent = config.latent.latent_dim, rope = config.latent.rope_dim;
  const AttentionWork per_head{heads, config.key_head_dim, config.value_head_dim};
  const int64_t latent_row = storage.cache.row_bytes(latent) + storage.cache.row_bytes(rope);
  switch (call.form) {
    case LatentWork::absorbed: {
      // U^T q for each head before, W mix after: as many FLOPs and weights as the up-projection of one row.
      AttentionWork work{heads, latent + rope, latent};
      work.row_bytes = latent_row;
      return append_cost(call, latent_row) + latent_up_cost(config, call.rows(), storage) +
             attention_cost(call, work, storage);
    }
    case LatentWork::materialised: {
      Cost cost = append_cost(call, latent_row) + attention_cost(call, per_head, storage);
      const int64_t positions = plus(call.past, call.tokens);
      cost += latent_up_cost(config, times(call.batch, positions), storage);
      if (call.cache == CacheWork::on) cost.cache_bytes_read = times(call.batch, positions, latent_row);
      return cost;
    }
    case LatentWork::expanded: {
      AttentionWork work = per_head;
      work.row_bytes =
          heads * (storage.cache.row_bytes(config.key_head_dim) + storage.cache.row_bytes(config.value_head_dim));
      return append_cost(call, work.row_bytes) + latent_up_cost(config, call.rows(), storage) +
             attention_cost(call, work, storage);
    }
  }
  throw std::invalid_argument("unknown form of latent attention");
}

// Queries, perhaps through a latent of their own; the latent and the rope key; the core; the output.
Cost latent_attention_cost(const ModelConfig& config, const Call& call, const Storage& storage) {
  const LatentConfig& latent = config.latent;
  const int64_t rows = call.rows(), query_rows = config.heads * config.key_head_dim;
  Cost cost;
  if (latent.query_latent_dim == 0) {
    cost += projection_cost(rows, config.model_dim, query_rows, false, storage);
  } else {
    cost += projection_cost(rows, config.model_dim, latent.query_latent_dim, config.qkv_bias, storage);
    cost += norm_cost(rows, 1, latent.query_latent_dim, false, storage);
    cost += projection_cost(rows, latent.query_latent_dim, query_rows, false, storage);
  }
  cost += rope_cost(rows, config.heads, latent.rope_dim, storage);
  cost += projection_cost(rows, config.model_dim, latent.latent_dim + latent.rope_dim, config.qkv_bias, storage);
  cost += norm_cost(rows, 1, latent.latent_dim, false, storage);
  cost += rope_cost(rows, 1, latent.rope_dim, storage);
  cost += latent_core_cost(config, call, storage);
  return cost +
         projection_cost(rows, config.heads * config.value_head_dim, config.model_dim, config.output_bias, storage);
}

// One dense network of `hidden` values, run by `rows` tokens.
Cost network_cost(const ModelConfig& config, int64_t rows, int64_t hidden, bool bias, const Storage& storage) {
  Cost cost = projection_cost(rows, config.model_dim, hidden, bias, storage) +
              projection_cost(rows, hidden, config.model_dim, bias, storage);
  Cost activation;
  activation.other_flops =
      times(rows, hidden, config.gated_feed_forward ? int64_t{kSwigluFlopsPerValue} : kActivationFlopsPerValue);
  activation.activation_bytes = times(rows, config.gated_feed_forward ? 3 : 2, storage.compute.row_bytes(hidden));
  if (config.gated_feed_forward) cost += projection_cost(rows, config.model_dim, hidden, bias, storage);
  return cost + activation;
}

Cost experts_cost(const ModelConfig& config, int64_t rows, const Storage& storage) {
  const ExpertsConfig& experts = config.experts;
  Cost cost = projection_cost(rows, config.model_dim, experts.count, experts.router_bias, storage);
  // Each token runs `used` of them; their weights are read once however many tokens choose them.
  const Cost one_run = network_cost(config, 1, experts.hidden_dim, experts.expert_bias, storage);
  const int64_t runs = times(rows, experts.used), touched = std::min(experts.count, runs);
  Cost all;
  all.matmul_flops = times(runs, one_run.matmul_flops);
  all.other_flops = times(runs, one_run.other_flops);
  all.weight_bytes = times(touched, one_run.weight_bytes);
  all.activation_bytes = times(runs, one_run.activation_bytes);
  cost += all;
  if (experts.shared_hidden_dim > 0) cost += network_cost(config, rows, experts.shared_hidden_dim, false, storage);
  if (experts.shared_gate) cost += projection_cost(rows, config.model_dim, 1, false, storage);
  return cost;
}

}  // namespace

Cost attention_layer_cost(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage) {
  switch (config.layer_cache[static_cast<size_t>(layer)].kind) {
    case LayerCache::Kind::latent: return latent_attention_cost(config, call, storage);
    case LayerCache::Kind::per_head:
    case LayerCache::Kind::shared: return per_head_cost(config, layer, call, storage);
    case LayerCache::Kind::none: break;
  }
  throw std::invalid_argument(
      fmt::format("layer {} is no attention layer: kvlab sizes its state, but does not know its work", layer));
}

Cost feed_forward_cost(const ModelConfig& config, int64_t layer, int64_t rows, const Storage& storage) {
  const LayerSizes sizes = config.sizes_of(layer);
  return sizes.experts ? experts_cost(config, rows, storage)
                       : network_cost(config, rows, sizes.hidden_dim, config.feed_forward_bias, storage);
}

Cost head_cost(const ModelConfig& config, int64_t rows, const Storage& storage) {
  return projection_cost(rows, config.model_dim, config.vocab, config.head_bias, storage);
}

// --- Calls ---

Cost layer_cost(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage) {
  Cost cost =
      attention_layer_cost(config, layer, call, storage) + feed_forward_cost(config, layer, call.rows(), storage);
  for (int64_t norm = 0; norm < config.norms_per_layer; ++norm)
    cost += norm_cost(call.rows(), 1, config.model_dim, config.norm_bias, storage);
  return cost + residual_cost(call.rows(), config.model_dim, storage) +
         residual_cost(call.rows(), config.model_dim, storage);
}

Cost ends_cost(const ModelConfig& config, const Call& call, const Storage& storage) {
  Cost cost = embedding_cost(config, call.rows(), storage);
  const int64_t rows = times(call.batch, call.logit_rows);
  if (rows > 0)
    cost += norm_cost(rows, 1, config.model_dim, config.norm_bias, storage) + head_cost(config, rows, storage);
  return cost;
}

Cost call_cost(const ModelConfig& config, const Call& call, const Storage& storage) {
  Cost cost = ends_cost(config, call, storage);
  for (int64_t layer = 0; layer < config.layers; ++layer) cost += layer_cost(config, layer, call, storage);
  return cost;
}

}  // namespace kv
