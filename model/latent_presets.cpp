// Presets of models with multi-head latent attention.
#include "model/preset_lists.h"

namespace kv {

namespace {

constexpr std::array<Preset, 4> kPresets = {{
    {"deepseek-ai/DeepSeek-V2-Lite", "deepseek-v2-lite",
     R"({"model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944, "num_hidden_layers": 27,
 "num_attention_heads": 16, "num_key_value_heads": 16, "kv_lora_rank": 512, "q_lora_rank": null,
 "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 64, "n_shared_experts": 2,
 "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "first_k_dense_replace": 1, "moe_layer_freq": 1,
 "topk_method": "greedy", "n_group": 1, "topk_group": 1, "norm_topk_prob": false, "routed_scaling_factor": 1.0,
 "scoring_func": "softmax", "vocab_size": 102400, "max_position_embeddings": 163840, "hidden_act": "silu",
 "rms_norm_eps": 1e-06, "rope_theta": 10000, "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40,
 "mscale": 0.707, "mscale_all_dim": 0.707, "original_max_position_embeddings": 4096, "type": "yarn"},
 "attention_bias": false, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 100000,
 "eos_token_id": 100001})",
     kExactCopy,
     "AI-Hypercomputer/maxtext@e591f30c src/maxtext/checkpoint_conversion/utils/hf_model_configs.py "
     "deepseek2_16b_dict (verbatim config); deepseek-ai/DeepSeek-V3@9b4e9788 "
     "inference/configs/config_16B.json"},
    {"deepseek-ai/DeepSeek-V2", "deepseek-v2",
     R"({"model_type": "deepseek_v2", "hidden_size": 5120, "intermediate_size": 12288, "num_hidden_layers": 60,
 "num_attention_heads": 128, "num_key_value_heads": 128, "kv_lora_rank": 512, "q_lora_rank": 1536,
 "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 160, "n_shared_experts": 2,
 "num_experts_per_tok": 6, "moe_intermediate_size": 1536, "first_k_dense_replace": 1, "moe_layer_freq": 1,
 "topk_method": "group_limited_greedy", "n_group": 8, "topk_group": 3, "norm_topk_prob": false,
 "routed_scaling_factor": 16.0, "scoring_func": "softmax", "vocab_size": 102400, "max_position_embeddings": 163840,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 10000, "rope_scaling": {"beta_fast": 32, "beta_slow": 1,
 "factor": 40, "mscale": 0.707, "mscale_all_dim": 0.707, "original_max_position_embeddings": 4096, "type": "yarn"},
 "attention_bias": false, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 100000,
 "eos_token_id": 100001})",
     kTable,
     "deepseek-ai/DeepSeek-V3@9b4e9788 inference/configs/config_236B.json; AI-Hypercomputer/maxtext "
     "src/maxtext/configs/models/deepseek2-236b.yml"},
    {"deepseek-ai/DeepSeek-V3", "deepseek-v3",
     R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "num_hidden_layers": 61,
 "num_attention_heads": 128, "num_key_value_heads": 128, "kv_lora_rank": 512, "q_lora_rank": 1536,
 "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256, "n_shared_experts": 1,
 "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "first_k_dense_replace": 3, "moe_layer_freq": 1,
 "topk_method": "noaux_tc", "n_group": 8, "topk_group": 4, "norm_topk_prob": true, "routed_scaling_factor": 2.5,
 "scoring_func": "sigmoid", "num_nextn_predict_layers": 1, "vocab_size": 129280, "max_position_embeddings": 163840,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 10000, "rope_scaling": {"beta_fast": 32, "beta_slow": 1,
 "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096, "type": "yarn"},
 "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
 "weight_block_size": [128, 128]}, "attention_bias": false, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
 "bos_token_id": 0, "eos_token_id": 1})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/deepseek-ai--DeepSeek-V3_config.json; "
     "deepseek-ai/DeepSeek-V3@9b4e9788 inference/configs/config_671B.json (MTP layer 61 not counted)"},
    {"openbmb/MiniCPM3-4B", "minicpm3-4b",
     R"({"model_type": "minicpm3", "hidden_size": 2560, "intermediate_size": 6400, "num_hidden_layers": 62,
 "num_attention_heads": 40, "num_key_value_heads": 40, "kv_lora_rank": 256, "q_lora_rank": 768,
 "qk_nope_head_dim": 64, "qk_rope_head_dim": 32, "vocab_size": 73448, "max_position_embeddings": 32768,
 "hidden_act": "silu", "rms_norm_eps": 1e-05,
 "rope_scaling": {"type": "longrope", "original_max_position_embeddings": 32768}, "scale_emb": 12,
 "scale_depth": 1.4, "dim_model_base": 256, "torch_dtype": "bfloat16", "bos_token_id": 1,
 "eos_token_id": [2, 73440]})",
     kTable,
     "UbiquitousLearning/mllm@3f4ba1b7 src/models/minicpm3/configuration_minicpm3.hpp; v_head_dim 64 = "
     "hidden/heads (not listed there)"},
}};

}  // namespace

std::span<const Preset> latent_presets() { return kPresets; }

}  // namespace kv
