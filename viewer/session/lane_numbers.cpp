#include "viewer/session/lane_numbers.h"

#include <algorithm>
#include <stdexcept>

#include "model/presets.h"
#include "model/work.h"

namespace kv::viewer {

namespace {

int64_t as_signed(uint64_t count) { return static_cast<int64_t>(count); }

// Layers that cost the same are added up once: a scrubber asks for a thousand steps of a model with 60 layers.
bool cost_the_same(const ModelConfig& config, int64_t a, int64_t b) {
  const LayerCache& x = config.layer_cache[static_cast<size_t>(a)];
  const LayerCache& y = config.layer_cache[static_cast<size_t>(b)];
  const LayerSizes p = config.sizes_of(a), q = config.sizes_of(b);
  return x.kind == y.kind && x.kv_heads == y.kv_heads && x.key_head_dim == y.key_head_dim &&
         x.value_head_dim == y.value_head_dim && x.latent_dim == y.latent_dim && x.rope_dim == y.rope_dim &&
         x.source == y.source && x.window == y.window && p.heads == q.heads && p.kv_heads == q.kv_heads &&
         p.hidden_dim == q.hidden_dim && p.experts == q.experts;
}

struct LikeLayers {
  int64_t layer = 0, count = 0;
};
std::vector<LikeLayers> like_layers(const ModelConfig& config) {
  std::vector<LikeLayers> kinds;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const auto alike = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const LikeLayers& kind) { return cost_the_same(config, kind.layer, layer); });
    if (alike == kinds.end())
      kinds.push_back({layer, 1});
    else
      ++alike->count;
  }
  return kinds;
}

Setting setting_of(bool cache, Dtype cache_dtype = Dtype::bf16) {
  Setting setting;
  setting.storage.cache = cache_dtype;
  setting.cache = cache ? CacheWork::on : CacheWork::off;
  return setting;
}

// A prompt is one call here: cut into pieces it takes the same FLOPs, since each row sees the same keys.
Call call_of(int64_t prompt, int64_t step, const Setting& setting) {
  return step == 0 ? prefill_calls(prompt, {}, setting).front() : decode_step_call(prompt + step, setting);
}

// What the layers would store with one K and one V per query head. Those that share another's still would.
int64_t bytes_as_mha(const ModelConfig& config, int64_t context, Dtype dtype) {
  std::vector<LayerCache> layers = config.layer_cache;
  for (size_t i = 0; i < layers.size(); ++i) {
    LayerCache& layer = layers[i];
    const int64_t heads = config.sizes_of(static_cast<int64_t>(i)).heads;
    if (layer.kind == LayerCache::Kind::per_head) layer.kv_heads = heads;
    if (layer.kind == LayerCache::Kind::latent)
      layer = LayerCache::per_head(heads, config.key_head_dim, config.value_head_dim, layer.window);
  }
  return cache_bytes(layers, context, dtype);
}

void fill_stored(LaneNumbers& numbers, const ModelConfig& config, Dtype dtype) {
  const int64_t context = numbers.context;
  numbers.kv_bytes = config.cache_bytes(context, dtype);
  numbers.token_bytes = numbers.kv_bytes - config.cache_bytes(context - 1, dtype);
  const int64_t as_mha = bytes_as_mha(config, context, dtype);
  numbers.ratio_to_mha = as_mha > 0 ? static_cast<double>(numbers.kv_bytes) / static_cast<double>(as_mha) : 1;
}

// The least time of what was counted: bytes of weights and cache, and FLOPs of matrix products.
std::optional<double> least_seconds(const Counters& counted, const std::optional<Speeds>& machine) {
  if (!machine) return std::nullopt;
  Cost cost;
  cost.matmul_flops = as_signed(counted.matmul_flops);
  cost.weight_bytes = as_signed(counted.weight_bytes);
  cost.cache_bytes_read = as_signed(counted.cache_bytes_read);
  cost.cache_bytes_written = as_signed(counted.cache_bytes_written);
  const double seconds = predict(cost, *machine).seconds();
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

StepFlops predicted_flops(const ModelConfig& config, int64_t prompt, int64_t step, bool cache) {
  const Setting setting = setting_of(cache);
  const Call call = call_of(prompt, step, setting);
  StepFlops flops;
  const auto add = [&](const CostByPart& parts, int64_t layers) {
    const int64_t scan = parts[Part::attention].flops();
    flops.scan += layers * scan;
    flops.new_token += layers * (parts.total().flops() - scan);
  };
  add(ends_cost_by_part(config, call, setting.storage), 1);
  for (const LikeLayers& kind : like_layers(config))
    add(layer_cost_by_part(config, kind.layer, call, setting.storage), kind.count);
  return flops;
}

LaneNumbers numbers_of(const LaneView& lane, int64_t step) {
  if (step < 0 || step > lane.last_step()) throw std::out_of_range("this step of the lane is not recorded");
  const ModelConfig& config = lane.config();
  const Step& recorded = lane.steps[static_cast<size_t>(step)];
  const auto prompt = std::ssize(lane.facts->prompt);
  LaneNumbers numbers;
  numbers.context = recorded.context();
  fill_stored(numbers, config, lane.facts->cache_dtype);
  numbers.flops = as_signed(recorded.counted.flops());
  // What is counted is one sum. Its part that grows is known from the cost model, whose total equals the count.
  numbers.scan_flops = predicted_flops(config, prompt, step, true).scan;
  numbers.new_token_flops = numbers.flops - numbers.scan_flops;
  numbers.cache_bytes_written = as_signed(recorded.counted.cache_bytes_written);
  numbers.cache_bytes_read = as_signed(recorded.counted.cache_bytes_read);
  numbers.weight_bytes = as_signed(recorded.counted.weight_bytes);
  const StepFlops without = predicted_flops(config, prompt, step, false);
  numbers.flops_without_cache = without.new_token + without.scan;
  for (const StepWithoutCache& ran : lane.without_cache)
    if (ran.context == numbers.context) numbers.ran_without_cache = ran;
  numbers.time = recorded.time;
  numbers.predicted_seconds = least_seconds(recorded.counted, lane.machine);
  return numbers;
}

LaneNumbers predicted_numbers(const ModelConfig& config, int64_t prompt, int64_t step, Dtype cache_dtype) {
  const Setting setting = setting_of(true, cache_dtype);
  const Cost cost = call_cost(config, call_of(prompt, step, setting), setting.storage);
  LaneNumbers numbers;
  numbers.context = prompt + step;
  fill_stored(numbers, config, cache_dtype);
  const StepFlops flops = predicted_flops(config, prompt, step, true);
  numbers.flops = cost.flops();
  numbers.scan_flops = flops.scan;
  numbers.new_token_flops = flops.new_token;
  numbers.cache_bytes_written = cost.cache_bytes_written;
  numbers.cache_bytes_read = cost.cache_bytes_read;
  numbers.weight_bytes = cost.weight_bytes;
  const StepFlops without = predicted_flops(config, prompt, step, false);
  numbers.flops_without_cache = without.new_token + without.scan;
  return numbers;
}

namespace {

// The preset's layers, query heads and head sizes, with K and V of `kv_heads` heads. Where no such model was published
// (all but the preset's own) it is hypothetical: nobody fitted its other sizes to give as many parameters.
ModelConfig with_kv_heads(ModelConfig config, int64_t kv_heads, const std::string& label) {
  config.name += " with " + label;
  config.kv_heads = kv_heads;
  for (LayerSizes& sizes : config.layer_sizes) sizes.kv_heads = kv_heads;
  config.latent = {};
  config.rope.dim = config.key_head_dim;  // DeepSeek turns only rope_dim of a head's values; an ordinary head all
  config.layer_cache.assign(static_cast<size_t>(config.layers),
                            LayerCache::per_head(kv_heads, config.key_head_dim, config.value_head_dim));
  validate(config);
  return config;
}

// The same with DeepSeek-V3's latent of 512 and rope key of 64; hypothetical but for DeepSeek-V3 itself. A head's key
// keeps its size, of which the rope key is a part.
ModelConfig with_latent(ModelConfig config) {
  config.name += " with MLA";
  if (!config.has_latent_attention()) {
    constexpr int64_t kLatent = 512, kRope = 64;
    config.latent.latent_dim = kLatent;
    config.latent.nope_dim = config.key_head_dim - kRope;
    config.latent.rope_dim = config.rope.dim = kRope;
    config.kv_heads = config.heads;
    for (LayerSizes& sizes : config.layer_sizes) sizes.kv_heads = sizes.heads;
    config.layer_cache.assign(static_cast<size_t>(config.layers), LayerCache::latent(kLatent, kRope));
  }
  validate(config);
  return config;
}

SizeOf size_of_preset(const char* preset, std::string name) {
  constexpr int64_t kSharedHeads = 8;  // the KV heads of both Llamas
  ModelConfig config = config_of(*find_preset(preset));
  config.name = name;
  const size_t published = config.has_latent_attention() ? 3 : 1;
  return {std::move(name),
          {"MHA", "GQA", "MQA", "MLA"},
          {with_kv_heads(config, config.heads, "MHA"), with_kv_heads(config, kSharedHeads, "GQA"),
           with_kv_heads(config, 1, "MQA"), with_latent(config)},
          published};
}

}  // namespace

const std::vector<SizeOf>& sizes_to_compare() {
  static const std::vector<SizeOf> sizes = {size_of_preset("llama-3-8b", "Llama-3-8B"),
                                            size_of_preset("llama-3-70b", "Llama-3-70B"),
                                            size_of_preset("deepseek-v3", "DeepSeek-V3")};
  return sizes;
}

}  // namespace kv::viewer
