#include "model/cost.h"

#include <algorithm>

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

Cost feed_forward_cost(const ModelConfig& config, int64_t layer, int64_t rows, const Storage& storage) {
  const LayerSizes sizes = config.sizes_of(layer);
  return sizes.experts ? experts_cost(config, rows, storage)
                       : network_cost(config, rows, sizes.hidden_dim, config.feed_forward_bias, storage);
}

Cost head_cost(const ModelConfig& config, int64_t rows, const Storage& storage) {
  return projection_cost(rows, config.model_dim, config.vocab, config.head_bias, storage);
}

}  // namespace kv
