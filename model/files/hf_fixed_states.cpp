#include "model/files/hf_fixed_states.h"

#include "model/dtype.h"
#include "model/files/limits.h"

namespace kv {

namespace {

constexpr int64_t kMaxKernel = 1 << 10;

LayerCache fixed_state(int64_t bytes) {
  LayerCache cache;
  cache.state_bytes = bytes;
  return cache;
}

// --- Jamba: Mamba layers ---

// Of each of mamba_expand x hidden_size channels: the last mamba_d_conv inputs, and mamba_d_state values. Both are kept
// in the type of the weights.
int64_t mamba_state_bytes(HfFields& fields, const ModelConfig& config) {
  const int64_t channels = config.model_dim * fields.size_or("mamba_expand", 64, 2);
  const int64_t inputs = fields.size_or("mamba_d_conv", kMaxKernel, 4);
  const int64_t values = fields.size_or("mamba_d_state", kMaxDim, 16);
  return channels * (inputs + values) * bytes_of(config.weights_dtype);
}

void read_jamba(HfFields& fields, ModelConfig& config) {
  const int64_t period = fields.size_or("attn_layer_period", kMaxLayers, 8);
  const int64_t offset = fields.integer_or("attn_layer_offset", 0, kMaxLayers, 4);
  if (offset >= period)
    fields.object().fail(
        fmt::format("has an attn_layer_offset ({}) that is not below attn_layer_period ({})", offset, period));
  const LayerCache state = fixed_state(mamba_state_bytes(fields, config));
  for (int64_t layer = 0; layer < config.layers; ++layer)
    if (layer % period != offset) config.layer_cache[static_cast<size_t>(layer)] = state;
  config.unknown_parameters = "kvlab does not count the parameters of Mamba layers";
}

// --- Qwen3.5: gated delta rule ---

// A matrix [key_dim, value_dim] of each value head, in f32 (mamba_ssm_dtype), and the last linear_conv_kernel_dim
// inputs of the queries, keys and values, in the type of the weights.
int64_t delta_state_bytes(HfFields& fields, const ModelConfig& config) {
  const int64_t value_heads = fields.size_or("linear_num_value_heads", kMaxHeads, 32);
  const int64_t key_heads = fields.size_or("linear_num_key_heads", kMaxHeads, 16);
  const int64_t key_dim = fields.size_or("linear_key_head_dim", kMaxHeadDim, 128);
  const int64_t value_dim = fields.size_or("linear_value_head_dim", kMaxHeadDim, 128);
  const int64_t inputs = fields.size_or("linear_conv_kernel_dim", kMaxKernel, 4);
  const int64_t channels = 2 * key_heads * key_dim + value_heads * value_dim;
  return value_heads * key_dim * value_dim * bytes_of(Dtype::f32) + channels * inputs * bytes_of(config.weights_dtype);
}

std::vector<bool> qwen_attending_layers(HfFields& fields, const ModelConfig& config) {
  std::vector<bool> attends;
  const auto types = fields.find("layer_types");
  if (!types) {
    const int64_t interval = fields.size_or("full_attention_interval", kMaxLayers, 4);
    for (int64_t layer = 0; layer < config.layers; ++layer) attends.push_back((layer + 1) % interval == 0);
    return attends;
  }
  for (const JsonValue& type : types->elements()) {
    if (type.text() != "full_attention" && type.text() != "linear_attention")
      type.fail(fmt::format("is {}; kvlab knows full_attention and linear_attention", type.shown()));
    attends.push_back(type.text() == "full_attention");
  }
  if (std::ssize(attends) != config.layers)
    types->fail(fmt::format("has {} entries, but num_hidden_layers is {}", attends.size(), config.layers));
  return attends;
}

void read_qwen(HfFields& fields, ModelConfig& config) {
  const std::vector<bool> attends = qwen_attending_layers(fields, config);
  const LayerCache state = fixed_state(delta_state_bytes(fields, config));
  for (size_t layer = 0; layer < attends.size(); ++layer)
    if (!attends[layer]) config.layer_cache[layer] = state;
  config.unknown_parameters = "kvlab does not count the parameters of linear attention layers";
}

}  // namespace

void read_hf_fixed_states(HfFields& fields, ModelConfig& config) {
  if (config.family == Family::jamba) read_jamba(fields, config);
  if (config.family == Family::qwen3_5) read_qwen(fields, config);
}

}  // namespace kv
