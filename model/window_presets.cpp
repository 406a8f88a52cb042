// Presets of models with a window in all layers, in some, or in an earlier version, and of their kin.
#include "model/preset_lists.h"

namespace kv {

namespace {

constexpr std::array<Preset, 12> kPresets = {{
    {"mistralai/Mistral-7B-v0.1", "mistral-7b-v0.1",
     R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 32768,
 "sliding_window": 4096, "hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2})",
     kExactCopy,
     "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py mistral_7b; "
     "Lightning-AI/litgpt@26857050 litgpt/config.py (sliding_window_size=4096, all layers)"},
    {"mistralai/Mistral-7B-v0.3", "mistral-7b-v0.3",
     R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32768, "max_position_embeddings": 32768,
 "sliding_window": null, "hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 1000000.0,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2})",
     kExactCopy, "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py mistral_7b_v03"},
    {"mistralai/Mistral-Nemo-Base-2407", "mistral-nemo",
     R"({"model_type": "mistral", "hidden_size": 5120, "intermediate_size": 14336, "num_hidden_layers": 40,
 "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072,
 "max_position_embeddings": 128000, "sliding_window": null, "hidden_act": "silu", "rms_norm_eps": 1e-05,
 "rope_theta": 1000000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 1,
 "eos_token_id": 2})",
     kExactCopy,
     "kevinstephano/thunder_model_blocks thunder_model_blocks/mistral/mistral_config.py (verbatim config; "
     "head_dim*heads=4096 != hidden 5120)"},
    {"mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b",
     R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 32768,
 "sliding_window": null, "hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 1000000.0,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2,
 "num_local_experts": 8, "num_experts_per_tok": 2})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/mistralai--Mixtral-8x7B-v0.1_config.json"},
    {"google/gemma-2-9b", "gemma-2-9b",
     R"({"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42,
 "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "sliding_window": 4096,
 "sliding_window_size": 4096, "query_pre_attn_scalar": 256, "attn_logit_softcapping": 50.0,
 "final_logit_softcapping": 30.0, "vocab_size": 256000, "max_position_embeddings": 8192,
 "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-06,
 "rope_theta": 10000.0, "attention_bias": false, "torch_dtype": "float32", "bos_token_id": 2, "eos_token_id": 1})",
     kExactCopy,
     "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py gemma2_9b (verbatim config); layer "
     "rule: HF Gemma2Config"},
    {"google/gemma-3-4b-it", "gemma-3-4b",
     R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
 "intermediate_size": 10240, "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
 "sliding_window": 1024}, "vision_config": {"model_type": "siglip_vision_model"}, "torch_dtype": "bfloat16",
 "eos_token_id": [1, 106]})",
     kTable,
     "Lightning-AI/litgpt@26857050 litgpt/config.py (gemma-3-4b-it) + HF Gemma3TextConfig defaults (vocab "
     "262208, heads 8, kv 4, head_dim 256); AI-Hypercomputer/maxtext@e591f30c "
     "src/maxtext/checkpoint_conversion/utils/hf_model_configs.py gemma3_4b_config"},
    {"google/gemma-3-27b-it", "gemma-3-27b",
     R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 5376,
 "intermediate_size": 21504, "num_hidden_layers": 62, "num_attention_heads": 32, "num_key_value_heads": 16,
 "head_dim": 128, "query_pre_attn_scalar": 168, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
 "sliding_window": 1024}, "vision_config": {"model_type": "siglip_vision_model"}, "torch_dtype": "bfloat16",
 "eos_token_id": [1, 106]})",
     kTable,
     "Lightning-AI/litgpt@26857050 litgpt/config.py (gemma-3-27b-it); AI-Hypercomputer/maxtext@e591f30c "
     "src/maxtext/checkpoint_conversion/utils/hf_model_configs.py gemma3_27b_config; vocab 262208 = HF "
     "default"},
    {"microsoft/Phi-3-mini-4k-instruct", "phi-3-mini-4k",
     R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064, "max_position_embeddings": 4096,
 "original_max_position_embeddings": 4096, "sliding_window": 2047, "hidden_act": "silu", "rms_norm_eps": 1e-05,
 "rope_theta": 10000.0, "rope_scaling": null, "attention_bias": false, "tie_word_embeddings": false,
 "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 32000})",
     kExactCopy,
     "config quoted in a test of TensorRT-LLM; Lightning-AI/litgpt@26857050 litgpt/config.py (uses 2047+1)"},
    {"microsoft/Phi-3-mini-128k-instruct", "phi-3-mini-128k",
     R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064, "max_position_embeddings": 131072,
 "original_max_position_embeddings": 4096, "sliding_window": 262144, "hidden_act": "silu", "rms_norm_eps": 1e-05,
 "rope_theta": 10000.0, "rope_scaling": {"type": "longrope"}, "attention_bias": false, "tie_word_embeddings": false,
 "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 32000})",
     kTable,
     "Lightning-AI/litgpt@26857050 litgpt/config.py (Phi-3-mini-128k-instruct); cf. "
     "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py phi-3_5"},
    {"bigcode/starcoder2-7b", "starcoder2-7b",
     R"({"model_type": "starcoder2", "hidden_size": 4608, "intermediate_size": 18432, "num_hidden_layers": 32,
 "num_attention_heads": 36, "num_key_value_heads": 4, "sliding_window": 4096, "vocab_size": 49152,
 "max_position_embeddings": 16384, "hidden_act": "gelu_pytorch_tanh", "mlp_type": "default",
 "norm_type": "layer_norm", "norm_epsilon": 1e-05, "use_bias": true, "rope_theta": 1000000,
 "torch_dtype": "bfloat16", "bos_token_id": 0, "eos_token_id": 0})",
     kExactCopy, "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py starcoder2 (verbatim config)"},
    {"openai/gpt-oss-20b", "gpt-oss-20b",
     R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_hidden_layers": 24,
 "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 32,
 "num_experts_per_tok": 4, "experts_per_token": 4, "sliding_window": 128, "layer_types": ["sliding_attention",
 "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention",
 "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention",
 "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention",
 "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention",
 "full_attention", "sliding_attention", "full_attention"], "vocab_size": 201088, "max_position_embeddings": 131072,
 "initial_context_length": 4096, "hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 150000,
 "rope_scaling": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 4096,
 "rope_type": "yarn", "truncate": false}, "attention_bias": true, "quantization_config": {"quant_method": "mxfp4"},
 "tie_word_embeddings": false, "eos_token_id": 200002})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/openai--gpt-oss-20b_config.json (native weights "
     "MXFP4; head_dim*heads=4096 != hidden 2880)"},
    {"openai/gpt-oss-120b", "gpt-oss-120b",
     R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_hidden_layers": 36,
 "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 128,
 "num_experts_per_tok": 4, "experts_per_token": 4, "sliding_window": 128, "layer_types": ["sliding_attention",
 "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention",
 "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention",
 "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention",
 "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention",
 "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention",
 "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention",
 "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"],
 "vocab_size": 201088, "max_position_embeddings": 131072, "initial_context_length": 4096, "hidden_act": "silu",
 "rms_norm_eps": 1e-05, "rope_theta": 150000, "rope_scaling": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0,
 "original_max_position_embeddings": 4096, "rope_type": "yarn", "truncate": false}, "attention_bias": true,
 "quantization_config": {"quant_method": "mxfp4"}, "tie_word_embeddings": false, "eos_token_id": 200002})",
     kExactCopy,
     "ai-dynamo/aiconfigurator@095f58a5 "
     "aic-core/src/aiconfigurator_core/model_configs/openai--gpt-oss-120b_config.json (native weights "
     "MXFP4)"},
}};

}  // namespace

std::span<const Preset> window_presets() { return kPresets; }

}  // namespace kv
