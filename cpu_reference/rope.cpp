#include "cpu_reference/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kv::cpu {

namespace {

// llama3: slow pairs are divided, fast ones kept, those between are blended by how often they turn in the old context.
double llama3_scaled(double frequency, const RopeConfig& config) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double context = static_cast<double>(config.original_context);
  if (wavelength < context / config.high_freq_factor) return frequency;
  if (wavelength > context / config.low_freq_factor) return frequency / config.factor;
  const double blend =
      (context / wavelength - config.low_freq_factor) / (config.high_freq_factor - config.low_freq_factor);
  return (1 - blend) * frequency / config.factor + blend * frequency;
}

// yarn: the (fractional) pair that turns `rotations` times within the old context.
double yarn_pair(double rotations, const RopeConfig& config) {
  const double context = static_cast<double>(config.original_context);
  return static_cast<double>(config.dim) * std::log(context / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(config.theta));
}

// yarn: 0 for pairs that keep their frequency, 1 for those that are divided, a ramp between.
double yarn_ramp(int64_t pair, const RopeConfig& config) {
  double low = yarn_pair(config.beta_fast, config), high = yarn_pair(config.beta_slow, config);
  if (config.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(config.dim - 1));
  if (low == high) high += 0.001;  // the published code's guard against dividing by zero
  return std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
}

double yarn_growth(double mscale, double factor) { return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0; }

}  // namespace

std::vector<double> rope_frequencies(const RopeConfig& config) {
  std::vector<double> frequencies;
  for (int64_t pair = 0; pair < config.dim / 2; ++pair) {
    const double plain = std::pow(config.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(config.dim));
    switch (config.scaling) {
      case RopeConfig::Scaling::none: frequencies.push_back(plain); break;
      case RopeConfig::Scaling::linear: frequencies.push_back(plain / config.factor); break;
      case RopeConfig::Scaling::llama3: frequencies.push_back(llama3_scaled(plain, config)); break;
      case RopeConfig::Scaling::yarn: {
        const double ramp = yarn_ramp(pair, config);
        frequencies.push_back(plain / config.factor * ramp + plain * (1 - ramp));
        break;
      }
    }
    if (!config.divisors.empty()) frequencies.back() /= config.divisors[static_cast<size_t>(pair)];
  }
  return frequencies;
}

double rope_magnitude(const RopeConfig& config) {
  if (config.scaling != RopeConfig::Scaling::yarn) return 1.0;
  if (config.attention_factor) return *config.attention_factor;
  if (config.mscale > 0 && config.mscale_all_dim > 0)
    return yarn_growth(config.mscale, config.factor) / yarn_growth(config.mscale_all_dim, config.factor);
  return yarn_growth(1.0, config.factor);
}

template <class Scalar>
RopeTable<Scalar> rope_table(const RopeConfig& config, int64_t first_position, int64_t tokens) {
  const std::vector<double> frequencies = rope_frequencies(config);
  const double magnitude = rope_magnitude(config);
  RopeTable<Scalar> table{Matrix<Scalar>(tokens, config.dim / 2), Matrix<Scalar>(tokens, config.dim / 2)};
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t pair = 0; pair < config.dim / 2; ++pair) {
      const double angle = static_cast<double>(first_position + t) * frequencies[static_cast<size_t>(pair)];
      table.cos(t, pair) = static_cast<Scalar>(std::cos(angle) * magnitude);
      table.sin(t, pair) = static_cast<Scalar>(std::sin(angle) * magnitude);
    }
  return table;
}

template <class Scalar>
void rotate(MutableRows<Scalar> x, int64_t head_dim, int64_t offset, const RopeTable<Scalar>& table,
            RopeConfig::Pairing pairing, const Run& run) {
  const int64_t pairs = table.cos.cols(), heads = x.cols / head_dim;
  expect_shape("rope table", {table.cos.rows(), table.sin.rows()}, {x.rows, x.rows});
  expect_shape("rotated heads", {x.cols}, {heads * head_dim});
  const int64_t step = pairing == RopeConfig::Pairing::interleaved ? 2 : 1;         // from one pair to the next
  const int64_t partner = pairing == RopeConfig::Pairing::interleaved ? 1 : pairs;  // from a pair's first to its second
  run.team.split(x.rows, run.team.worthwhile(4 * x.cols), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t)
      for (int64_t head = 0; head < heads; ++head) {
        Scalar* part = x.row(t) + head * head_dim + offset;
        for (int64_t pair = 0; pair < pairs; ++pair) {
          Scalar& first = part[pair * step];
          Scalar& second = part[pair * step + partner];
          const Scalar turned = first * table.cos(t, pair) - second * table.sin(t, pair);
          second = second * table.cos(t, pair) + first * table.sin(t, pair);
          first = turned;
        }
      }
    run.count(&Counters::other_flops, (end - begin) * heads * 2 * pairs * static_cast<int64_t>(kRopeFlopsPerValue));
  });
}

template RopeTable<float> rope_table(const RopeConfig&, int64_t, int64_t);
template RopeTable<double> rope_table(const RopeConfig&, int64_t, int64_t);
template void rotate(MutableRows<float>, int64_t, int64_t, const RopeTable<float>&, RopeConfig::Pairing, const Run&);
template void rotate(MutableRows<double>, int64_t, int64_t, const RopeTable<double>&, RopeConfig::Pairing, const Run&);

}  // namespace kv::cpu
