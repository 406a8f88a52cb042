#include "model/files/hf_experts.h"

#include <algorithm>
#include <set>

#include "model/files/limits.h"

namespace kv {

namespace {

const HfKey kUsedExperts = {"num_experts_per_tok", "experts_per_token"};

// Mixtral, gpt-oss and Jamba: experts of the size that a dense layer would have.
void read_equal_experts(HfFields& fields, ModelConfig& config, HfKey count, int64_t experts, int64_t used) {
  config.experts.count = fields.size_or(count, kMaxExperts, experts);
  config.experts.used = fields.size_or(kUsedExperts, kMaxExperts, used);
  config.experts.hidden_dim = config.hidden_dim;
}

void read_qwen_experts(HfFields& fields, ModelConfig& config) {
  const bool shared = config.family == Family::qwen2_moe;
  ExpertsConfig& experts = config.experts;
  experts.count = fields.size_or({"num_experts", "num_local_experts"}, kMaxExperts, shared ? 60 : 128);
  experts.used = fields.size_or(kUsedExperts, kMaxExperts, shared ? 4 : 8);
  experts.hidden_dim = fields.size_or("moe_intermediate_size", kMaxHiddenDim, shared ? 1408 : 768);
  experts.shared_gate = shared;
  if (shared) experts.shared_hidden_dim = fields.size_or("shared_expert_intermediate_size", kMaxHiddenDim, 5632);
}

// An explicit null for n_routed_experts is a dense model.
void read_deepseek_experts(HfFields& fields, ModelConfig& config) {
  const bool v3 = config.family == Family::deepseek_v3;
  ExpertsConfig& experts = config.experts;
  experts.router_bias = v3;  // e_score_correction_bias
  experts.count = fields.size_or("n_routed_experts", kMaxExperts, v3 ? 256 : 64);
  if (v3 || fields.find(kUsedExperts))
    experts.used = fields.size_or(kUsedExperts, kMaxExperts, 8);
  else
    fields.assume(kUsedExperts, "0", "since deepseek_v2 has no default");
  experts.hidden_dim = fields.size_or("moe_intermediate_size", kMaxHiddenDim, v3 ? 2048 : 1407);
  if (!fields.is_null("n_shared_experts")) {
    const int64_t shared = fields.integer_or("n_shared_experts", 0, kMaxExperts, v3 ? 1 : 2);
    experts.shared_hidden_dim = shared * experts.hidden_dim;
  }
}

// --- In which layers ---

std::vector<bool> qwen_expert_layers(HfFields& fields, const ModelConfig& config) {
  std::set<int64_t> dense;
  if (const auto list = fields.find("mlp_only_layers"))
    for (const JsonValue& layer : list->elements()) dense.insert(layer.integer(0, kMaxLayers));
  const int64_t step = fields.size_or("decoder_sparse_step", kMaxLayers, 1);
  std::vector<bool> has_experts;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    has_experts.push_back((layer + 1) % step == 0 && !dense.contains(layer));
  return has_experts;
}

std::vector<bool> deepseek_expert_layers(HfFields& fields, const ModelConfig& config) {
  if (fields.is_null("n_routed_experts")) return std::vector(static_cast<size_t>(config.layers), false);
  const int64_t dense =
      fields.integer_or("first_k_dense_replace", 0, kMaxContext, config.family == Family::deepseek_v3 ? 3 : 0);
  const auto stated = fields.find("moe_layer_freq");
  const int64_t step = stated ? stated->integer(1, kMaxLayers) : 1;
  std::vector<bool> has_experts;
  for (int64_t layer = 0; layer < config.layers; ++layer) has_experts.push_back(layer >= dense && layer % step == 0);
  if (dense < config.layers)
    fields.cannot_run(fields.object(),
                      fmt::format("has mixtures of experts in layers {} to {} (first_k_dense_replace is {}); kvlab "
                                  "runs dense layers only",
                                  dense, config.layers - 1, dense));
  return has_experts;
}

std::vector<bool> jamba_expert_layers(HfFields& fields, const ModelConfig& config) {
  const int64_t period = fields.size_or("expert_layer_period", kMaxLayers, 2);
  const int64_t offset = fields.integer_or("expert_layer_offset", 0, kMaxLayers, 1);
  if (offset >= period)
    fields.object().fail(
        fmt::format("has an expert_layer_offset ({}) that is not below expert_layer_period ({})", offset, period));
  std::vector<bool> has_experts;
  for (int64_t layer = 0; layer < config.layers; ++layer) has_experts.push_back(layer % period == offset);
  return has_experts;
}

std::vector<bool> expert_layers(HfFields& fields, const ModelConfig& config) {
  switch (config.family) {
    case Family::qwen2_moe:
    case Family::qwen3_moe: return qwen_expert_layers(fields, config);
    case Family::deepseek_v2:
    case Family::deepseek_v3: return deepseek_expert_layers(fields, config);
    case Family::jamba: return jamba_expert_layers(fields, config);
    case Family::mixtral:
    case Family::gpt_oss: return std::vector(static_cast<size_t>(config.layers), true);
    default: return std::vector(static_cast<size_t>(config.layers), false);
  }
}

void read_experts(HfFields& fields, ModelConfig& config) {
  switch (config.family) {
    case Family::mixtral: return read_equal_experts(fields, config, "num_local_experts", 8, 2);
    case Family::jamba: return read_equal_experts(fields, config, "num_experts", 16, 2);
    case Family::gpt_oss:
      config.experts.router_bias = config.experts.expert_bias = true;
      return read_equal_experts(fields, config, {"num_local_experts", "num_experts"}, 128, 4);
    case Family::qwen2_moe:
    case Family::qwen3_moe: return read_qwen_experts(fields, config);
    case Family::deepseek_v2:
    case Family::deepseek_v3: return read_deepseek_experts(fields, config);
    default: return;
  }
}

}  // namespace

void read_hf_experts(HfFields& fields, ModelConfig& config) {
  const std::vector<bool> has_experts = expert_layers(fields, config);
  const auto sparse = std::count(has_experts.begin(), has_experts.end(), true);
  if (sparse == 0) return;
  read_experts(fields, config);
  if (config.experts.used > config.experts.count)
    fields.object().fail(fmt::format("has {} experts, of which a token uses {} ({})", config.experts.count,
                                     config.experts.used, kUsedExperts.name));
  if (sparse == config.layers) return;
  for (const bool experts : has_experts)
    config.layer_sizes.push_back({config.heads, config.kv_heads, config.hidden_dim, experts});
}

}  // namespace kv
