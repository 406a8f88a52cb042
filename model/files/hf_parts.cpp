#include "model/files/hf_parts.h"

namespace kv {

namespace {

void set_all_biases(ModelConfig& config, bool present) {
  config.qkv_bias = config.output_bias = config.feed_forward_bias = present;
}

void read_biases(HfFields& fields, ModelConfig& config) {
  const auto attention_bias = [&](bool otherwise) {
    config.qkv_bias = config.output_bias = fields.boolean_or("attention_bias", otherwise);
  };
  switch (config.family) {
    case Family::llama:
    case Family::deepseek_v2:
    case Family::minicpm3:
      attention_bias(false);
      config.feed_forward_bias = fields.boolean_or("mlp_bias", false);
      break;
    case Family::qwen3:
    case Family::qwen3_moe:
    case Family::qwen3_5:
    case Family::deepseek_v3:
    case Family::gemma2:
    case Family::gemma3:
    case Family::olmo2:
    case Family::cohere: attention_bias(false); break;
    case Family::gpt_oss: attention_bias(true); break;
    case Family::gpt_neox:
      attention_bias(true);
      config.feed_forward_bias = true;
      break;
    case Family::qwen2: config.qkv_bias = true; break;
    case Family::qwen2_moe: {
      const auto stated = fields.find("qkv_bias");  // a newer field, which released files do not have
      config.qkv_bias = !stated || stated->boolean();
      break;
    }
    case Family::gpt2:
    case Family::gpt_bigcode: set_all_biases(config, true); break;
    case Family::falcon: set_all_biases(config, fields.boolean_or("bias", false)); break;
    case Family::starcoder2: set_all_biases(config, fields.boolean_or("use_bias", true)); break;
    case Family::opt: set_all_biases(config, fields.boolean_or("enable_bias", true)); break;
    case Family::mistral:
    case Family::mixtral:
    case Family::phi3:
    case Family::jamba: break;
  }
}

// Attention and feed-forward side by side need one norm, unless a file gives each its own.
int64_t falcon_norms(HfFields& fields) {
  if (!fields.boolean_or("parallel_attn", true)) return 2;
  const auto newer = fields.find("new_decoder_architecture");
  const bool grouped = newer ? newer->boolean() : fields.find("n_head_kv").has_value();
  if (const auto stated = fields.find("num_ln_in_parallel_attn")) return stated->integer(1, 2);
  return grouped ? 2 : 1;
}

void read_norms(HfFields& fields, ModelConfig& config) {
  switch (config.family) {
    case Family::qwen3:
    case Family::qwen3_moe:
    case Family::qwen3_5: config.query_key_norm = true; break;
    case Family::gemma2: config.norms_per_layer = 4; break;
    case Family::gemma3:
      config.norms_per_layer = 4;
      config.query_key_norm = true;
      break;
    case Family::olmo2: config.norm_of_all_heads = true; break;
    case Family::cohere:
      config.norms_per_layer = 1;
      config.norm_of_all_heads = fields.boolean_or("use_qk_norm", false);
      break;
    case Family::falcon:
      config.norms_per_layer = falcon_norms(fields);
      config.norm_bias = true;
      break;
    case Family::gpt2:
    case Family::gpt_bigcode:
    case Family::gpt_neox:
    case Family::starcoder2:
    case Family::opt: config.norm_bias = true; break;
    default: break;
  }
}

bool is_gated(Family family) {
  switch (family) {
    case Family::falcon:
    case Family::gpt2:
    case Family::gpt_bigcode:
    case Family::gpt_neox:
    case Family::starcoder2:
    case Family::opt: return false;
    default: return true;
  }
}

// OPT's smallest and oldest models differ from the others in ways that change the count.
void read_opt(HfFields& fields, ModelConfig& config) {
  config.learned_positions = config.max_context + 2;  // the first two rows are never used
  if (const auto width = fields.find("word_embed_proj_dim"); width && width->integer(1, 1 << 17) != config.model_dim)
    config.unknown_parameters = fmt::format(
        "word_embed_proj_dim is {}, other than hidden_size ({}), and kvlab does not count what projects between them",
        width->shown(), config.model_dim);
  if (const auto before = fields.find("do_layer_norm_before"); before && !before->boolean())
    config.unknown_parameters = "do_layer_norm_before is false, and kvlab does not count the parameters of that layout";
}

}  // namespace

void read_hf_parts(HfFields& fields, ModelConfig& config) {
  read_biases(fields, config);
  read_norms(fields, config);
  config.gated_feed_forward = is_gated(config.family);
  config.attention_sinks = config.family == Family::gpt_oss;
  if (config.family == Family::gpt2 || config.family == Family::gpt_bigcode)
    config.learned_positions = config.max_context;
  if (config.family == Family::opt) read_opt(fields, config);
}

}  // namespace kv
