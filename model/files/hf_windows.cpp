#include "model/files/hf_windows.h"

#include <algorithm>

#include "model/files/limits.h"

namespace kv {

namespace {

bool is_qwen(Family family) {
  return family == Family::qwen2 || family == Family::qwen3 || family == Family::qwen2_moe ||
         family == Family::qwen3_moe;
}

// The families whose layers differ: there layer_types decides. Elsewhere it may only confirm the rule.
bool mixes_layers(Family family) {
  switch (family) {
    case Family::qwen2:
    case Family::qwen3:
    case Family::qwen2_moe:
    case Family::gemma2:
    case Family::gemma3:
    case Family::gpt_oss: return true;
    default: return false;
  }
}

// What sliding_window is when the field is absent; null always switches it off.
int64_t default_window(Family family) {
  switch (family) {
    case Family::mistral:
    case Family::gemma2:
    case Family::gemma3: return 4096;
    case Family::gpt_oss: return 128;
    default: return is_qwen(family) ? 4096 : 0;
  }
}

bool has_windows(Family family) {
  return default_window(family) > 0 || family == Family::mixtral || family == Family::phi3 ||
         family == Family::starcoder2;
}

// The window of the layers that have one; 0: none is in use.
int64_t window_in_use(HfFields& fields, const ModelConfig& config) {
  if (!has_windows(config.family) || fields.is_null("sliding_window")) return 0;
  if (is_qwen(config.family) && !fields.boolean_or("use_sliding_window", false)) return 0;
  const int64_t otherwise = default_window(config.family);
  if (otherwise == 0 && !fields.find("sliding_window")) return 0;
  return fields.size_or("sliding_window", kMaxContext, otherwise);
}

// Which layers have the window, when no layer_types says so.
std::vector<bool> sliding_by_rule(HfFields& fields, const ModelConfig& config) {
  std::vector<bool> sliding(static_cast<size_t>(config.layers), true);
  const auto slides = [&](const auto& rule) {
    for (int64_t layer = 0; layer < config.layers; ++layer) sliding[static_cast<size_t>(layer)] = rule(layer);
  };
  switch (config.family) {
    case Family::qwen2:
    case Family::qwen3: {
      const int64_t first = fields.integer_or("max_window_layers", 0, kMaxContext, 28);
      slides([&](int64_t layer) { return layer >= first; });
      break;
    }
    case Family::qwen2_moe: {
      const int64_t end = fields.integer_or("max_window_layers", 0, kMaxContext, 28);
      slides([&](int64_t layer) { return layer % 2 == 0 && layer < end; });
      break;
    }
    case Family::gemma2:
    case Family::gpt_oss: slides([](int64_t layer) { return layer % 2 == 0; }); break;
    case Family::gemma3: {
      const int64_t period = fields.size_or({"sliding_window_pattern", "_sliding_window_pattern"}, kMaxLayers, 6);
      slides([&](int64_t layer) { return (layer + 1) % period != 0; });
      break;
    }
    default: break;
  }
  return sliding;
}

void apply_layer_types(const JsonValue& types, const ModelConfig& config, int64_t window,
                       std::vector<int64_t>& windows) {
  const std::vector<JsonValue> list = types.elements();
  if (std::ssize(list) != config.layers)
    types.fail(fmt::format("has {} entries, but num_hidden_layers is {}", list.size(), config.layers));
  for (size_t layer = 0; layer < list.size(); ++layer) {
    const bool sliding = list[layer].text() == "sliding_attention";
    if (!sliding && list[layer].text() != "full_attention")
      list[layer].fail(fmt::format("is {}; kvlab knows full_attention and sliding_attention", list[layer].shown()));
    if (sliding && window == 0) list[layer].fail("is sliding_attention, but no sliding window is in use");
    if (mixes_layers(config.family)) windows[layer] = sliding ? window : 0;
    if (sliding != (windows[layer] > 0))
      list[layer].fail(fmt::format("is {}, which {} does not have", list[layer].shown(), name_of(config.family)));
  }
}

}  // namespace

std::vector<int64_t> read_hf_windows(HfFields& fields, const ModelConfig& config) {
  std::vector<int64_t> windows(static_cast<size_t>(config.layers), 0);
  if (config.family == Family::qwen3_5) return windows;  // there layer_types tells attention from other layers
  const int64_t window = window_in_use(fields, config);
  const auto types = fields.find("layer_types");
  if (window > 0 && !(types && mixes_layers(config.family))) {
    const std::vector<bool> sliding = sliding_by_rule(fields, config);
    for (size_t layer = 0; layer < windows.size(); ++layer) windows[layer] = sliding[layer] ? window : 0;
  }
  if (types) apply_layer_types(*types, config, window, windows);
  if (window > config.max_context) {
    fields.note(fmt::format("sliding_window is {}, more than the longest context ({}): no layer ever needs it.", window,
                            config.max_context));
    std::fill(windows.begin(), windows.end(), 0);
  }
  return windows;
}

}  // namespace kv
