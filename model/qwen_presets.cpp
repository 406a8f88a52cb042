// Presets of Qwen2.5, Qwen3 and Qwen3.5. Files of Qwen name a window that no layer uses (use_sliding_window).
#include "model/preset_lists.h"

namespace kv {

namespace {

constexpr std::array<Preset, 8> kPresets = {{
    {"Qwen/Qwen2.5-0.5B", "qwen2.5-0.5b",
     R"({"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
 "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936, "max_position_embeddings": 32768,
 "use_sliding_window": false, "sliding_window": 32768, "max_window_layers": 24, "hidden_act": "silu",
 "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": true, "torch_dtype": "bfloat16",
 "bos_token_id": 151643, "eos_token_id": 151643})",
     kTable,
     "Lightning-AI/litgpt@26857050 litgpt/config.py (Qwen2.5-0.5B); same shapes as verbatim "
     "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py qwen2_0_5b"},
    {"Qwen/Qwen2.5-7B", "qwen2.5-7b",
     R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
 "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 131072,
 "use_sliding_window": false, "sliding_window": 131072, "max_window_layers": 28, "hidden_act": "silu",
 "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
 "bos_token_id": 151643, "eos_token_id": 151643})",
     kTable,
     "Lightning-AI/litgpt@26857050 litgpt/config.py (Qwen2.5-7B); AI-Hypercomputer/maxtext@e591f30c "
     "src/maxtext/checkpoint_conversion/utils/hf_model_configs.py qwen25_7b_config"},
    {"Qwen/Qwen2.5-72B", "qwen2.5-72b",
     R"({"model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers": 80,
 "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 152064, "max_position_embeddings": 131072,
 "use_sliding_window": false, "sliding_window": 131072, "max_window_layers": 80, "hidden_act": "silu",
 "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
 "bos_token_id": 151643, "eos_token_id": 151643})",
     kTable, "Lightning-AI/litgpt@26857050 litgpt/config.py (Qwen2.5-72B)"},
    {"Qwen/Qwen3-0.6B", "qwen3-0.6b",
     R"({"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
 "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
 "max_position_embeddings": 40960, "use_sliding_window": false, "sliding_window": null, "max_window_layers": 28,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 1000000, "rope_scaling": null, "attention_bias": false,
 "tie_word_embeddings": true, "torch_dtype": "bfloat16", "bos_token_id": 151643, "eos_token_id": 151645})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/Qwen--Qwen3-0.6B_config.json (head_dim*heads=2048 != "
     "hidden 1024)"},
    {"Qwen/Qwen3-8B", "qwen3-8b",
     R"({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36,
 "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
 "max_position_embeddings": 40960, "use_sliding_window": false, "sliding_window": null, "max_window_layers": 36,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 1000000, "rope_scaling": null, "attention_bias": false,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 151643, "eos_token_id": 151645})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/Qwen--Qwen3-8B_config.json"},
    {"Qwen/Qwen3-32B", "qwen3-32b",
     R"({"model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 25600, "num_hidden_layers": 64,
 "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
 "max_position_embeddings": 40960, "use_sliding_window": false, "sliding_window": null, "max_window_layers": 64,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 1000000, "rope_scaling": null, "attention_bias": false,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 151643, "eos_token_id": 151645})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/Qwen--Qwen3-32B_config.json (head_dim*heads=8192 != "
     "hidden 5120)"},
    {"Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b",
     R"({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 48,
 "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936,
 "max_position_embeddings": 40960, "use_sliding_window": false, "sliding_window": null, "max_window_layers": 48,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 1000000, "rope_scaling": null, "attention_bias": false,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 151643, "eos_token_id": 151645,
 "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "norm_topk_prob": true,
 "decoder_sparse_step": 1, "mlp_only_layers": []})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/Qwen--Qwen3-30B-A3B_config.json (head_dim*heads=4096 "
     "!= hidden 2048)"},
    {"Qwen/Qwen3.5-27B", "qwen3.5-27b",
     R"({"model_type": "qwen3_5", "text_config": {"model_type": "qwen3_5_text", "hidden_size": 5120,
 "intermediate_size": 17408, "num_hidden_layers": 64, "num_attention_heads": 24, "num_key_value_heads": 4,
 "head_dim": 256, "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
 "linear_num_key_heads": 16, "linear_num_value_heads": 48, "linear_value_head_dim": 128,
 "mamba_ssm_dtype": "float32", "attn_output_gate": true, "attention_bias": false, "vocab_size": 248320,
 "max_position_embeddings": 262144, "hidden_act": "silu", "rms_norm_eps": 1e-06,
 "rope_parameters": {"mrope_interleaved": true, "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25,
 "rope_theta": 10000000, "rope_type": "default"}, "mtp_num_hidden_layers": 1, "tie_word_embeddings": false,
 "dtype": "bfloat16", "eos_token_id": 248044}, "vision_config": {"model_type": "qwen3_5"},
 "tie_word_embeddings": false})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/Qwen--Qwen3.5-27B_config.json"},
}};

}  // namespace

std::span<const Preset> qwen_presets() { return kPresets; }

}  // namespace kv
