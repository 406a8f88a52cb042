#include "model/files/hf_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace kv {

namespace {

constexpr std::array<HfFamily, 24> kFamilies = {{
    // family               vocab    dim layers heads hidden  kv head context  eps    theta   tied
    {Family::llama, 32000, 4096, 32, 32, 11008, 0, 0, 2048, 1e-6, 10000, false},
    {Family::mistral, 32000, 4096, 32, 32, 14336, 8, 0, 131072, 1e-6, 10000, false},
    {Family::mixtral, 32000, 4096, 32, 32, 14336, 8, 0, 131072, 1e-5, 1000000, false},
    {Family::qwen2, 151936, 4096, 32, 32, 22016, 32, 0, 32768, 1e-6, 10000, false},
    {Family::qwen2_moe, 151936, 2048, 24, 16, 5632, 16, 0, 32768, 1e-6, 10000, false},
    {Family::qwen3, 151936, 4096, 32, 32, 22016, 32, 128, 32768, 1e-6, 10000, false},
    {Family::qwen3_moe, 151936, 2048, 24, 32, 6144, 4, 0, 32768, 1e-6, 10000, false},
    {Family::qwen3_5, 248320, 4096, 32, 16, 12288, 4, 256, 32768, 1e-6, 10000, false},
    {Family::deepseek_v2, 102400, 4096, 32, 32, 11008, 0, 0, 2048, 1e-6, 10000, false},
    {Family::deepseek_v3, 129280, 7168, 61, 128, 18432, 0, 0, 4096, 1e-6, 10000, false},
    {Family::minicpm3, 73448, 2560, 62, 40, 6400, 0, 0, 32768, 1e-5, 10000, true},
    {Family::gemma2, 256000, 2304, 26, 8, 9216, 4, 256, 8192, 1e-6, 10000, true},
    {Family::gemma3, 262208, 2304, 26, 8, 9216, 4, 256, 131072, 1e-6, 1000000, true},
    {Family::phi3, 32064, 3072, 32, 32, 8192, 0, 0, 4096, 1e-5, 10000, false},
    {Family::olmo2, 50304, 4096, 32, 32, 11008, 0, 0, 2048, 1e-5, 10000, false},
    {Family::starcoder2, 49152, 3072, 30, 24, 12288, 2, 0, 4096, 1e-5, 10000, true},
    {Family::gpt_oss, 201088, 2880, 36, 64, 2880, 8, 64, 131072, 1e-5, 150000, false},
    {Family::cohere, 256000, 8192, 40, 64, 22528, 0, 0, 8192, 1e-5, 500000, true},
    {Family::jamba, 65536, 4096, 32, 32, 14336, 8, 0, 262144, 1e-6, 0, false},
    {Family::falcon, 65024, 4544, 32, 71, 0, 0, 0, 2048, 1e-5, 10000, true},
    {Family::gpt2, 50257, 768, 12, 12, 0, 0, 0, 1024, 1e-5, 0, true},
    {Family::gpt_bigcode, 50257, 768, 12, 12, 0, 0, 0, 1024, 1e-5, 0, true},
    {Family::gpt_neox, 50432, 6144, 44, 64, 24576, 0, 0, 2048, 1e-5, 10000, false},
    {Family::opt, 50272, 768, 12, 12, 3072, 0, 0, 2048, 1e-5, 0, true},
}};

// Names under which the same architecture is also found: parts of multimodal models, and earlier or derived names.
struct OtherName {
  std::string_view name;
  Family family;
};
constexpr std::array<OtherName, 9> kOtherNames = {{
    {"gemma3_text", Family::gemma3},
    {"qwen2_vl", Family::qwen2},
    {"qwen2_vl_text", Family::qwen2},
    {"qwen2_5_vl", Family::qwen2},
    {"qwen2_5_vl_text", Family::qwen2},
    {"qwen3_5_text", Family::qwen3_5},
    {"kimi_k2", Family::deepseek_v3},
    {"RefinedWeb", Family::falcon},
    {"RefinedWebModel", Family::falcon},
}};

}  // namespace

const HfFamily& hf_family(Family family) {
  return *std::find_if(kFamilies.begin(), kFamilies.end(), [&](const HfFamily& row) { return row.family == family; });
}

const HfFamily& hf_family(const JsonValue& model_type) {
  for (const HfFamily& row : kFamilies)
    if (model_type.text() == name_of(row.family)) return row;
  for (const OtherName& other : kOtherNames)
    if (model_type.text() == other.name) return hf_family(other.family);
  std::set<std::string_view> known;
  for (const HfFamily& row : kFamilies) known.insert(name_of(row.family));
  model_type.fail(fmt::format("is {}; kvlab knows {}", model_type.shown(), fmt::join(known, ", ")));
}

HfKeys hf_keys(Family family) {
  HfKeys keys = {"num_hidden_layers",       "hidden_size", "intermediate_size", "num_attention_heads",
                 "max_position_embeddings", "rms_norm_eps"};
  switch (family) {
    case Family::gpt2:
    case Family::gpt_bigcode:
      return {{"n_layer", "num_hidden_layers"},
              {"n_embd", "hidden_size"},
              "n_inner",
              {"n_head", "num_attention_heads"},
              {"n_positions", "max_position_embeddings"},
              "layer_norm_epsilon"};
    case Family::falcon:
      return {{"num_hidden_layers", "n_layer"},  {"hidden_size", "n_embed"}, "ffn_hidden_size",
              {"num_attention_heads", "n_head"}, "max_position_embeddings",  "layer_norm_epsilon"};
    case Family::opt: keys.hidden_dim = "ffn_dim"; break;
    case Family::gpt_neox:
    case Family::cohere: keys.norm_eps = "layer_norm_eps"; break;
    case Family::starcoder2: keys.norm_eps = "norm_epsilon"; break;
    default: break;
  }
  return keys;
}

bool runs(Family family) {
  switch (family) {
    case Family::llama:
    case Family::mistral:
    case Family::qwen2:
    case Family::qwen3:
    case Family::deepseek_v2:
    case Family::deepseek_v3: return true;
    default: return false;
  }
}

}  // namespace kv
