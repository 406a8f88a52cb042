#include "cli/size_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/numbers.h"
#include "cli/options.h"
#include "model/checked.h"
#include "model/memory.h"
#include "model/parameters.h"

namespace kv::cli {

namespace {

// Formats of few bits that count the numbers alone.
void note_scales(std::vector<std::string>& assumed, const char* what, const NumberFormat& format) {
  if (format.name == "f8" || format.name == "i8" || format.name == "i4")
    assumed.push_back(fmt::format("{} in {} are counted without scales, which an engine adds", what, format.name));
}

void count_weights(SizeFacts& facts) {
  const ModelConfig& config = facts.model.config;
  if (!config.unknown_parameters.empty()) return;
  const ParameterCount count = count_parameters(config);
  facts.parameters = count.total();
  facts.active_parameters = count.active();
  const bool as_stored = facts.weights_format() == "file";
  facts.weights_bytes =
      as_stored ? facts.model.stored_weights_bytes : weight_bytes(count.total(), facts.settings.weights);
  if (facts.settings.weights_given) note_scales(facts.assumed, "weights", facts.settings.weights);
  if (!facts.settings.weights_given)
    facts.assumed.push_back(as_stored ? std::string("weights are counted as they lie in the file (--weights-dtype)")
                                      : std::string("weights are counted in bf16 (--weights-dtype)"));
}

Fit fit_of(const SizeFacts& facts) {
  const SizeSettings& settings = facts.settings;
  const ModelConfig& config = facts.model.config;
  Fit fit;
  fit.device = served_device(settings.device, settings.weights, Speed::not_needed);
  if (!facts.weights_bytes) return fit;
  const Serving serving{*facts.weights_bytes, settings.cache, settings.ranks, fit.device.memory_bytes.value,
                        settings.reserve_bytes};
  fit.room_bytes = serving.room();
  fit.free_bytes = free_bytes(config, serving, facts.tokens, settings.batch);
  fit.most_requests = most_requests(config, serving, facts.tokens);
  fit.longest = longest_requests(config, serving, settings.batch);
  if (const auto longest = longest_requests(config, serving, settings.batch + 1)) fit.next_stops_at = *longest + 1;
  return fit;
}

// A layer's row as a product: "8 KV heads x (128 K + 128 V)", or in blocks, whose rows are whole, with the bytes of
// each: "8 KV heads x (136 bytes K + 136 bytes V)". Empty: it stores nothing.
std::string row_text(const LayerCache& layer, const NumberFormat& format) {
  const auto part = [&](int64_t values, const char* what) {
    return format.block_values == 1 ? fmt::format("{} {}", values, what)
                                    : fmt::format("{} bytes {}", format.row_bytes(values), what);
  };
  if (layer.kind == LayerCache::Kind::latent)
    return fmt::format("({} + {})", part(layer.latent_dim, "latent"), part(layer.rope_dim, "rope"));
  if (layer.kind != LayerCache::Kind::per_head) return "";
  return fmt::format("{} x ({} + {})", count_of(layer.kv_heads, "KV head"), part(layer.key_head_dim, "K"),
                     part(layer.value_head_dim, "V"));
}

std::string tokens_text(const LayerCache& layer, int64_t tokens) {
  return layer.window > 0 && layer.window < tokens ? fmt::format("{} tokens (the window)", with_commas(layer.window))
                                                   : count_of(tokens, "token");
}

}  // namespace

std::string cache_formula(const ModelConfig& config, int64_t tokens, int64_t batch, const NumberFormat& format) {
  // Equal layers are one term, in the order in which they first occur.
  std::vector<std::pair<std::string, int64_t>> terms;
  for (const LayerCache& layer : config.layer_cache) {
    const std::string row = row_text(layer, format);
    if (row.empty()) continue;
    const std::string product = row + " x " + tokens_text(layer, tokens);
    const auto term = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == product; });
    if (term == terms.end())
      terms.emplace_back(product, 1);
    else
      ++term->second;
  }
  std::string sum;
  for (const auto& [product, layers] : terms)
    sum += fmt::format("{}{} x {}", sum.empty() ? "" : " + ", count_of(layers, "layer"), product);
  if (terms.size() > 1) sum = fmt::format("({})", sum);
  const int64_t bytes = checked_product({batch, request_cache_bytes(config, tokens, format)});
  const std::string each = format.block_values == 1 ? " x " + count_of(format.block_bytes, "byte") : "";
  return fmt::format("{}{}{} = {}", batch > 1 ? count_of(batch, "request") + " x " : "", sum.empty() ? "0 layers" : sum,
                     each, count_of(bytes, "byte"));
}

std::string SizeFacts::weights_format() const {
  return model.stored_weights_bytes && !settings.weights_given ? "file" : std::string(settings.weights.name);
}

SizeFacts size_facts(const SizeSettings& settings) {
  if (settings.reserve_bytes > 0 && !settings.device.any())
    throw UsageError("--reserve is a part of a device's memory: give --gpu or --memory as well");
  if (settings.json && settings.csv) throw UsageError("--json and --csv: one of them");
  SizeFacts facts;
  facts.settings = settings;
  facts.model = describe_model(settings.model);
  const ModelConfig& config = facts.model.config;
  require_ranks(config, settings.ranks);
  facts.tokens = settings.tokens > 0 ? settings.tokens : config.max_context;
  facts.assumed = config.assumed;
  if (settings.tokens == 0)
    facts.assumed.push_back(
        fmt::format("each request is as long as the model's context, {} tokens (--tokens)", with_commas(facts.tokens)));
  else if (facts.tokens > config.max_context)
    facts.assumed.push_back(fmt::format("{} tokens are more than the {} of the model's context",
                                        with_commas(facts.tokens), with_commas(config.max_context)));

  note_scales(facts.assumed, "cached values", settings.cache);

  facts.token_bytes = request_cache_bytes(config, 1, settings.cache);
  facts.past_window_bytes = cache_bytes_past_windows(config, settings.cache);
  facts.request_bytes = request_cache_bytes(config, facts.tokens, settings.cache);
  facts.cache_bytes = checked_product({settings.batch, facts.request_bytes});
  facts.state_bytes = checked_product({settings.batch, request_state_bytes(config)});
  facts.rank_token_bytes = request_cache_bytes(config, 1, settings.cache, settings.ranks);
  facts.rank_cache_bytes =
      checked_product({settings.batch, request_cache_bytes(config, facts.tokens, settings.cache, settings.ranks)});

  count_weights(facts);
  if (settings.device.any()) {
    facts.fit = fit_of(facts);
    facts.assumed.insert(facts.assumed.end(), facts.fit->device.assumed.begin(), facts.fit->device.assumed.end());
  }
  return facts;
}

}  // namespace kv::cli
