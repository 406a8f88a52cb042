// Presets of models that give every head its keys and values, and of the first that share one pair among all heads.
#include "model/preset_lists.h"

namespace kv {

namespace {

constexpr std::array<Preset, 9> kPresets = {{
    {"allenai/OLMo-2-1124-7B", "olmo-2-7b",
     R"({"model_type": "olmo2", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 100352, "max_position_embeddings": 4096,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 500000, "rope_scaling": null, "attention_bias": false,
 "tie_word_embeddings": false, "torch_dtype": "float32", "eos_token_id": 100257})",
     kExactCopy,
     "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py olmo2_7b; Lightning-AI/litgpt@26857050 "
     "litgpt/config.py"},
    {"allenai/OLMo-2-1124-13B", "olmo-2-13b",
     R"({"model_type": "olmo2", "hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40,
 "num_attention_heads": 40, "num_key_value_heads": 40, "vocab_size": 100352, "max_position_embeddings": 4096,
 "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 500000, "rope_scaling": null, "attention_bias": false,
 "tie_word_embeddings": false, "torch_dtype": "float32", "eos_token_id": 100257})",
     kTable, "Lightning-AI/litgpt@26857050 litgpt/config.py (OLMo-2-1124-13B)"},
    {"tiiuae/falcon-7b", "falcon-7b",
     R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
 "multi_query": true, "new_decoder_architecture": false, "parallel_attn": true, "bias": false, "alibi": false,
 "vocab_size": 65024, "layer_norm_epsilon": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 11,
 "eos_token_id": 11})",
     kTable,
     "Lightning-AI/litgpt@26857050 litgpt/config.py (falcon-7b); huggingface/candle@2a13b0f3 "
     "candle-transformers/src/models/falcon.rs falcon7b; HF FalconConfig defaults"},
    {"tiiuae/falcon-40b", "falcon-40b",
     R"({"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128,
 "num_kv_heads": 8, "new_decoder_architecture": true, "parallel_attn": true, "bias": false, "alibi": false,
 "vocab_size": 65024, "layer_norm_epsilon": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 11,
 "eos_token_id": 11})",
     kTable, "Lightning-AI/litgpt@26857050 litgpt/config.py (falcon-40b)"},
    {"bigcode/starcoder", "starcoder",
     R"({"model_type": "gpt_bigcode", "n_embd": 6144, "n_inner": 24576, "n_layer": 40, "n_head": 48, "multi_query": true,
 "vocab_size": 49152, "n_positions": 8192, "activation_function": "gelu", "layer_norm_epsilon": 1e-05,
 "torch_dtype": "float32", "bos_token_id": 0, "eos_token_id": 0})",
     kTable, "huggingface/candle@2a13b0f3 candle-transformers/src/models/bigcode.rs starcoder()"},
    {"openai-community/gpt2", "gpt2",
     R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "n_ctx": 1024,
 "vocab_size": 50257, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-05, "bos_token_id": 50256,
 "eos_token_id": 50256})",
     kExactCopy, "mlc-ai/mlc-llm@79d603f0 python/mlc_llm/model/model_preset.py gpt2 (verbatim config)"},
    {"EleutherAI/gpt-neox-20b", "gpt-neox-20b",
     R"({"model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576, "num_hidden_layers": 44,
 "num_attention_heads": 64, "vocab_size": 50432, "max_position_embeddings": 2048, "hidden_act": "gelu",
 "layer_norm_eps": 1e-05, "rotary_pct": 0.25, "rotary_emb_base": 10000, "use_parallel_residual": true,
 "tie_word_embeddings": false, "torch_dtype": "float16", "bos_token_id": 0, "eos_token_id": 0})",
     kTable, "HF GPTNeoXConfig defaults, documented as gpt-neox-20b (configuration_gpt_neox.py)"},
    {"EleutherAI/pythia-160m", "pythia-160m",
     R"({"model_type": "gpt_neox", "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
 "num_attention_heads": 12, "vocab_size": 50304, "max_position_embeddings": 2048, "hidden_act": "gelu",
 "layer_norm_eps": 1e-05, "rotary_pct": 0.25, "rotary_emb_base": 10000, "use_parallel_residual": true,
 "tie_word_embeddings": false, "torch_dtype": "float16", "bos_token_id": 0, "eos_token_id": 0})",
     kTable, "Lightning-AI/litgpt@26857050 litgpt/config.py (pythia-160m)"},
    {"EleutherAI/pythia-6.9b", "pythia-6.9b",
     R"({"model_type": "gpt_neox", "hidden_size": 4096, "intermediate_size": 16384, "num_hidden_layers": 32,
 "num_attention_heads": 32, "vocab_size": 50432, "max_position_embeddings": 2048, "hidden_act": "gelu",
 "layer_norm_eps": 1e-05, "rotary_pct": 0.25, "rotary_emb_base": 10000, "use_parallel_residual": true,
 "tie_word_embeddings": false, "torch_dtype": "float16", "bos_token_id": 0, "eos_token_id": 0})",
     kTable, "Lightning-AI/litgpt@26857050 litgpt/config.py (pythia-6.9b)"},
}};

}  // namespace

std::span<const Preset> earlier_presets() { return kPresets; }

}  // namespace kv
