#include "model/parameters.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kv {

namespace {

constexpr int64_t kMost = int64_t{1} << 57;  // in one part: the bytes of all parts, 8 for each value, still fit

// A count that grows by products, and throws before it wraps around.
class Count {
 public:
  Count() = default;
  Count(int64_t value) : value_(value) {}

  int64_t value() const { return value_; }
  Count operator*(Count other) const {
    int64_t product = 0;
    const bool wrapped = __builtin_mul_overflow(value_, other.value_, &product);
    return checked(wrapped, product);
  }
  Count operator+(Count other) const {
    int64_t sum = 0;
    const bool wrapped = __builtin_add_overflow(value_, other.value_, &sum);
    return checked(wrapped, sum);
  }
  Count& operator+=(Count other) { return *this = *this + other; }

 private:
  static Count checked(bool wrapped, int64_t value) {
    if (wrapped || value > kMost)
      throw std::overflow_error(fmt::format("its parameters are more than kvlab can count ({})", kMost));
    return value;
  }

  int64_t value_ = 0;
};

// y = W x, with a bias or without.
Count projection(Count rows, Count cols, bool bias) { return rows * cols + (bias ? rows : Count(0)); }

Count feed_forward(const ModelConfig& config, Count hidden, bool bias) {
  const Count dim = config.model_dim;
  return projection(hidden, dim, bias) * (config.gated_feed_forward ? 2 : 1) + projection(dim, hidden, bias);
}

// --- One layer ---

Count latent_attention(const ModelConfig& config, const LayerSizes& sizes) {
  const LatentConfig& latent = config.latent;
  const Count dim = config.model_dim, queries = Count(sizes.heads) * config.key_head_dim;
  Count count = latent.query_latent_dim == 0 ? projection(queries, dim, false)
                                             : projection(latent.query_latent_dim, dim, config.qkv_bias) +
                                                   projection(queries, latent.query_latent_dim, false);
  count += projection(latent.latent_dim + latent.rope_dim, dim, config.qkv_bias);
  count += projection(Count(sizes.heads) * (latent.nope_dim + config.value_head_dim), latent.latent_dim, false);
  return count;
}

Count attention(const ModelConfig& config, const LayerSizes& sizes) {
  const Count dim = config.model_dim, kv_heads = sizes.kv_heads;
  Count count = config.has_latent_attention()
                    ? latent_attention(config, sizes)
                    : projection(Count(sizes.heads) * config.key_head_dim, dim, config.qkv_bias) +
                          projection(kv_heads * config.key_head_dim, dim, config.qkv_bias) +
                          projection(kv_heads * config.value_head_dim, dim, config.qkv_bias);
  count += projection(dim, Count(sizes.heads) * config.value_head_dim, config.output_bias);
  if (config.attention_sinks) count += sizes.heads;
  return count;
}

// The experts of a layer, of which `used` count: all of them, or a token's.
Count experts(const ModelConfig& config, Count used) {
  const ExpertsConfig& experts = config.experts;
  Count count = projection(experts.count, config.model_dim, experts.router_bias);
  count += used * feed_forward(config, experts.hidden_dim, experts.expert_bias);
  if (experts.shared_hidden_dim > 0) count += feed_forward(config, experts.shared_hidden_dim, false);
  if (experts.shared_gate) count += config.model_dim;
  return count;
}

Count norm(const ModelConfig& config, Count size) { return size * (config.norm_bias ? 2 : 1); }

Count norms(const ModelConfig& config, const LayerSizes& sizes) {
  Count count = Count(config.norms_per_layer) * norm(config, config.model_dim);
  if (config.has_latent_attention()) return count + config.latent.query_latent_dim + config.latent.latent_dim;
  if (config.query_key_norm) count += Count(2) * config.key_head_dim;
  if (config.norm_of_all_heads) count += (Count(sizes.heads) + sizes.kv_heads) * config.key_head_dim;
  return count;
}

}  // namespace

ParameterCount count_parameters(const ModelConfig& config) {
  if (!config.unknown_parameters.empty()) throw std::invalid_argument(config.unknown_parameters);
  const Count dim = config.model_dim;
  Count in_attention, in_feed_forward, in_experts, in_active_experts, in_norms = norm(config, dim);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const LayerSizes sizes = config.sizes_of(layer);
    in_attention += attention(config, sizes);
    in_norms += norms(config, sizes);
    if (sizes.experts) {
      in_experts += experts(config, config.experts.count);
      in_active_experts += experts(config, config.experts.used);
    } else {
      in_feed_forward += feed_forward(config, sizes.hidden_dim, config.feed_forward_bias);
    }
  }
  const Count embedding = (Count(config.vocab) + config.learned_positions) * dim;
  const Count head = config.tied_embeddings ? 0 : projection(config.vocab, dim, config.head_bias);
  return {.embedding = embedding.value(),
          .attention = in_attention.value(),
          .feed_forward = in_feed_forward.value(),
          .experts = in_experts.value(),
          .active_experts = in_active_experts.value(),
          .norms = in_norms.value(),
          .head = head.value()};
}

}  // namespace kv
