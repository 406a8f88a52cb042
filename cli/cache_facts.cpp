#include "cli/cache_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/numbers.h"

namespace kv::cli {

namespace {

std::string_view kind_of_layer(const ModelConfig& config, int64_t layer) {
  const LayerCache& cache = config.layer_cache[static_cast<size_t>(layer)];
  if (cache.kind == LayerCache::Kind::latent) return "mla";
  if (cache.kv_heads == config.sizes_of(layer).heads) return "mha";
  return cache.kv_heads == 1 ? "mqa" : "gqa";
}

bool stores(const LayerCache& cache) { return cache.values_per_token() > 0; }

// What one such layer stores for a token: "2 KV heads x (32 + 32)".
std::string values_text(const LayerCache& cache) {
  if (cache.kind == LayerCache::Kind::latent)
    return fmt::format("({} latent + {} rope)", cache.latent_dim, cache.rope_dim);
  return fmt::format("{} x ({} K + {} V)", count_of(cache.kv_heads, "KV head"), cache.key_head_dim,
                     cache.value_head_dim);
}

// One text where all layers have the same; else "layers 0-1: this; layer 2: that", in the order of the layers.
template <class TextOf>
std::string by_layers(int64_t layers, const TextOf& text_of) {
  std::vector<std::pair<std::string, std::set<int64_t>>> texts;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string text = text_of(layer);
    auto found = std::find_if(texts.begin(), texts.end(), [&](const auto& t) { return t.first == text; });
    if (found == texts.end()) found = texts.insert(texts.end(), {text, {}});
    found->second.insert(layer);
  }
  if (texts.size() == 1) return texts.front().first;
  std::string all;
  for (const auto& [text, of] : texts)
    all +=
        fmt::format("{}{} {}: {}", all.empty() ? "" : "; ", of.size() == 1 ? "layer" : "layers", ranges_text(of), text);
  return all;
}

}  // namespace

std::string_view attention_kind(const ModelConfig& config) {
  std::set<std::string_view> kinds;
  for (size_t layer = 0; layer < config.layer_cache.size(); ++layer)
    if (stores(config.layer_cache[layer])) kinds.insert(kind_of_layer(config, static_cast<int64_t>(layer)));
  return kinds.size() == 1 ? *kinds.begin() : "mixed";
}

std::string_view attention_words(std::string_view kind) {
  if (kind == "mha") return "multi-head attention";
  if (kind == "gqa") return "grouped-query attention";
  if (kind == "mqa") return "multi-query attention";
  if (kind == "mla") return "multi-head latent attention";
  return "different attention in different layers";
}

std::string heads_text(const ModelConfig& config) {
  if (config.has_latent_attention())
    return fmt::format("{} query heads share a latent of {} values and a rope key of {}", config.heads,
                       config.latent.latent_dim, config.latent.rope_dim);
  return by_layers(config.layers, [&](int64_t layer) {
    const LayerSizes sizes = config.sizes_of(layer);
    if (sizes.kv_heads == sizes.heads)
      return fmt::format("{}, each with a KV head of its own", count_of(sizes.heads, "query head"));
    return fmt::format("{} share {}", count_of(sizes.heads, "query head"), count_of(sizes.kv_heads, "KV head"));
  });
}

std::string hidden_dim_text(const ModelConfig& config) {
  return by_layers(config.layers, [&](int64_t layer) { return with_commas(config.sizes_of(layer).hidden_dim); }) +
         " (feed-forward)";
}

std::string bytes_per_token_formula(const ModelConfig& config, Dtype dtype) {
  // Equal layers are one term, in the order in which they first occur.
  std::vector<std::pair<std::string, int64_t>> terms;
  for (const LayerCache& cache : config.layer_cache) {
    if (!stores(cache)) continue;
    const std::string values = values_text(cache);
    const auto term = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == values; });
    if (term == terms.end())
      terms.emplace_back(values, 1);
    else
      ++term->second;
  }
  std::string sum;
  for (const auto& [values, layers] : terms)
    sum += fmt::format("{}{} x {}", sum.empty() ? "" : " + ", count_of(layers, "layer"), values);
  if (terms.size() > 1) sum = fmt::format("({})", sum);
  return fmt::format("{} x {} bytes = {} bytes", sum, bytes_of(dtype), with_commas(config.cache_bytes(1, dtype)));
}

std::string window_text(const ModelConfig& config) {
  std::map<int64_t, std::set<int64_t>> layers_of;  // by window; 0, all positions, comes first
  for (size_t layer = 0; layer < config.layer_cache.size(); ++layer)
    if (config.layer_cache[layer].kind != LayerCache::Kind::none)
      layers_of[config.layer_cache[layer].window].insert(static_cast<int64_t>(layer));
  const auto seen = [](int64_t window) {
    return window == 0 ? std::string("all positions") : fmt::format("the last {}", count_of(window, "position"));
  };
  if (layers_of.empty()) return "nothing: no layer has attention";
  const bool everywhere = std::ssize(layers_of.begin()->second) == config.layers;
  if (layers_of.size() == 1)
    return seen(layers_of.begin()->first) + (everywhere ? " in every layer" : " in every layer with attention");
  std::string text;
  for (const auto& [window, layers] : layers_of)
    text += fmt::format("{}{} {}: {}", text.empty() ? "" : "; ", layers.size() == 1 ? "layer" : "layers",
                        ranges_text(layers), seen(window));
  return text;
}

int64_t bytes_per_token_past_windows(const ModelConfig& config, Dtype dtype) {
  int64_t values = 0;
  for (const LayerCache& cache : config.layer_cache)
    if (cache.window == 0) values += cache.values_per_token();
  return values * bytes_of(dtype);
}

}  // namespace kv::cli
