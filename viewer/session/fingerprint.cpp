#include "viewer/session/fingerprint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>

#include "model/hash.h"

namespace kv::viewer {

namespace {

std::string numbers_of(const RopeConfig& rope) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", rope.dim, rope.theta,
                     static_cast<int>(rope.pairing), static_cast<int>(rope.scaling), rope.factor, rope.original_context,
                     rope.low_freq_factor, rope.high_freq_factor, rope.beta_fast, rope.beta_slow, rope.mscale,
                     rope.mscale_all_dim, rope.attention_factor.value_or(0), rope.truncate,
                     fmt::join(rope.divisors, " "));
}

std::string numbers_of(const ModelConfig& config) {
  const LatentConfig& latent = config.latent;
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}; {}; ", name_of(config.family),
                  config.layers, config.model_dim, config.hidden_dim, config.vocab, config.max_context, config.heads,
                  config.kv_heads, config.key_head_dim, config.value_head_dim, config.norm_eps, config.query_key_norm,
                  config.qkv_bias, config.tied_embeddings, latent.query_latent_dim, latent.latent_dim, latent.nope_dim,
                  latent.rope_dim, latent.norm_eps, numbers_of(config.rope));
  for (const LayerCache& cache : config.layer_cache)
    text += fmt::format("{} {} {} {} {} {} {} {}; ", static_cast<int>(cache.kind), cache.kv_heads, cache.key_head_dim,
                        cache.value_head_dim, cache.latent_dim, cache.rope_dim, cache.source, cache.window);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const LayerSizes sizes = config.sizes_of(layer);
    text += fmt::format("{} {} {}; ", sizes.heads, sizes.kv_heads, sizes.hidden_dim);
  }
  return text;
}

}  // namespace

uint64_t fingerprint(const LoadedModel& model) {
  Fnv1a hash;
  const auto add_text = [&](const std::string& text) { hash.add(std::as_bytes(std::span(text))); };
  add_text(numbers_of(model.config));
  Weights views = model.weights;  // of the same bytes: the list below wants places to write to
  for (const ExpectedTensor& tensor : expected_tensors(model.config, views)) {
    const WeightMatrix& weight = *tensor.place;
    add_text(fmt::format("{} {} {} {}; ", tensor.name, name_of(weight.dtype), weight.rows, weight.cols));
    hash.add({weight.data, static_cast<size_t>(weight.bytes())});
  }
  return hash.value();
}

}  // namespace kv::viewer
