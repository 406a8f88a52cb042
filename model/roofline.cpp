#include "model/roofline.h"

#include <algorithm>

namespace kv {

namespace {

// No text is longer.
constexpr int64_t kLongestContext = int64_t{1} << 32;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

double Speeds::ridge() const { return ratio(flops_per_second, bytes_per_second); }

double intensity(const Cost& cost) {
  return ratio(static_cast<double>(cost.matmul_flops), static_cast<double>(cost.memory_bytes()));
}

double Prediction::seconds() const { return std::max(memory_seconds, compute_seconds); }

std::optional<BoundBy> Prediction::bound() const {
  if (memory_seconds == 0 || compute_seconds == 0) return std::nullopt;
  return memory_seconds >= compute_seconds ? BoundBy::memory : BoundBy::compute;
}

Prediction predict(const Cost& cost, const Speeds& speeds) {
  return {ratio(static_cast<double>(cost.memory_bytes()), speeds.bytes_per_second),
          ratio(static_cast<double>(cost.matmul_flops), speeds.flops_per_second)};
}

std::optional<int64_t> context_where_cache_outweighs_weights(const ModelConfig& config, const Setting& setting) {
  const auto outweighs = [&](int64_t context) {
    const Cost step = decode_step_cost(config, context, setting);
    return step.cache_bytes_read >= step.weight_bytes;
  };
  if (setting.cache == CacheWork::off) return std::nullopt;
  int64_t below = 0, reached = 1;
  for (; !outweighs(reached); reached *= 2) {
    if (reached >= kLongestContext) return std::nullopt;
    below = reached;
  }
  while (reached - below > 1) {
    const int64_t middle = below + (reached - below) / 2;
    (outweighs(middle) ? reached : below) = middle;
  }
  return reached;
}

std::optional<double> queries_that_should_absorb(const ModelConfig& config, int64_t context) {
  if (!config.has_latent_attention()) return std::nullopt;
  const auto latent = static_cast<double>(config.latent.latent_dim), stored = static_cast<double>(context);
  const auto rebuilt = static_cast<double>(config.latent.nope_dim + config.value_head_dim);
  const double divisor = latent * rebuilt + (2 * latent - rebuilt) * stored;
  if (divisor <= 0) return std::nullopt;
  return latent * rebuilt * stored / divisor;
}

}  // namespace kv
