#include <fmt/format.h>

#include "tests/fuzz/seeds.h"
#include "tests/support/gguf_bytes.h"

namespace kv::fuzz {

namespace {

using namespace test;

// Numbers of the format for types of tensors.
constexpr uint32_t kF32 = 0, kF16 = 1, kQ8_0 = 8;

GgufBytes& tensor(GgufBytes& file, const std::string& name, const std::vector<int64_t>& sizes, uint32_t type = kF32) {
  int64_t values = 1;
  for (const int64_t size : sizes) values *= size;
  const int64_t bytes = type == kQ8_0 ? values / 32 * 34 : type == kF16 ? values * 2 : values * 4;
  return file.tensor(name, sizes, type, std::string(static_cast<size_t>(bytes), '\x3c'));
}

// Every kind of mark of the language, in a program that nobody uses.
constexpr const char* kTemplate =
    "{#- what for -#}{% set x = \"You're \\\"x\\\"\" %}\n"
    "{%- for m in messages -%}\n  {%+ if m.role == 'user' and not loop.first or x[1:] != 2 %}{{ '<|im_start|>' ~ "
    "m['role'] }}\n"
    "{%- elif x is defined -%}{{- m.content | trim -}}{% else %}{{ raise_exception('no') }}{% endif %}{% endfor %}\n";

void add_byte_level_tokenizer(GgufBytes& file, const char* pre) {
  const std::vector<std::string> tokens = {"<|im_start|>", "<|im_end|>", "H", "i",   "Hi",
                                           "\xc4\xa0",     "4",          "2", "don", "'"};
  file.text_key("tokenizer.ggml.model", "gpt2").text_key("tokenizer.ggml.pre", pre);
  file.key("tokenizer.ggml.tokens", array, texts_bytes(tokens));
  file.key("tokenizer.ggml.token_type", array, numbers_bytes<int32_t>(i32, {3, 3, 1, 1, 1, 1, 1, 1, 4, 1}));
  file.key("tokenizer.ggml.merges", array, texts_bytes({"H i"}));
  file.u32_key("tokenizer.ggml.bos_token_id", 0).u32_key("tokenizer.ggml.eos_token_id", 1);
  file.u32_key("tokenizer.ggml.unknown_token_id", 1).key("tokenizer.ggml.add_bos_token", boolean, "\1");
  file.text_key("tokenizer.chat_template", kTemplate);
}

void add_sentencepiece_tokenizer(GgufBytes& file) {
  const std::vector<std::string> tokens = {"<unk>",  "<s>",          "</s>", "<0x0A>",
                                           "<0x48>", "\xe2\x96\x81", "i",    "\xe2\x96\x81i"};
  file.text_key("tokenizer.ggml.model", "llama").text_key("tokenizer.ggml.pre", "default");
  file.key("tokenizer.ggml.tokens", array, texts_bytes(tokens));
  file.key("tokenizer.ggml.scores", array, numbers_bytes<float>(f32, {0, 0, 0, 0, 0, -1, -2, -1.5f}));
  file.key("tokenizer.ggml.token_type", array, numbers_bytes<int32_t>(i32, {2, 3, 3, 6, 6, 1, 1, 1}));
  file.u32_key("tokenizer.ggml.bos_token_id", 1).u32_key("tokenizer.ggml.eos_token_id", 2);
  file.u32_key("tokenizer.ggml.unknown_token_id", 0).key("tokenizer.ggml.add_space_prefix", boolean, "\1");
}

void add_sizes(GgufBytes& file, const std::string& architecture, uint32_t model_dim, uint32_t heads) {
  const std::string prefix = architecture + ".";
  file.text_key("general.architecture", architecture).text_key("general.name", "tiny");
  file.u32_key(prefix + "block_count", 1).u32_key(prefix + "context_length", 16);
  file.u32_key(prefix + "embedding_length", model_dim).u32_key(prefix + "feed_forward_length", 8);
  file.u32_key(prefix + "attention.head_count", heads);
  file.key(prefix + "attention.layer_norm_rms_epsilon", f32, number_bytes(1e-5f));
  file.key(prefix + "rope.freq_base", f32, number_bytes(1e4f));
}

// Everything but attention's projections. Rows of 32 values when `type` has blocks.
void add_frame(GgufBytes& file, int64_t model_dim, int64_t vocab, uint32_t type) {
  tensor(file, "token_embd.weight", {model_dim, vocab}, type);
  tensor(file, "output_norm.weight", {model_dim});
  tensor(file, "blk.0.attn_norm.weight", {model_dim});
  tensor(file, "blk.0.ffn_norm.weight", {model_dim});
  tensor(file, "blk.0.ffn_gate.weight", {model_dim, 8});
  tensor(file, "blk.0.ffn_up.weight", {model_dim, 8}, kF16);
  tensor(file, "blk.0.ffn_down.weight", {8, model_dim});
}

void add_attention(GgufBytes& file, int64_t model_dim, int64_t heads, int64_t kv_heads, int64_t head_dim) {
  tensor(file, "blk.0.attn_q.weight", {model_dim, heads * head_dim});
  tensor(file, "blk.0.attn_k.weight", {model_dim, kv_heads * head_dim});
  tensor(file, "blk.0.attn_v.weight", {model_dim, kv_heads * head_dim});
  tensor(file, "blk.0.attn_output.weight", {heads * head_dim, model_dim});
}

// Grouped heads, biases, a head of its own, Llama 3's divisors, default alignment.
Seed llama() {
  GgufBytes file;
  add_sizes(file, "llama", 4, 2);
  file.u32_key("llama.attention.head_count_kv", 1).u32_key("llama.rope.dimension_count", 2);
  add_byte_level_tokenizer(file, "smollm");
  add_frame(file, 4, 10, kF32);
  add_attention(file, 4, 2, 1, 2);
  tensor(file, "output.weight", {4, 10}, kF16);
  tensor(file, "rope_freqs.weight", {1});
  return {"llama.gguf", file.bytes()};
}

// Blocks, per-layer arrays, yarn, version 2, SentencePiece.
Seed llama_blocks() {
  GgufBytes file;
  file.version = 2;
  file.alignment = 8;
  file.u32_key("general.alignment", 8);
  add_sizes(file, "llama", 32, 1);
  file.key("llama.attention.head_count_kv", array, numbers_bytes<uint32_t>(u32, {1}));
  file.u32_key("llama.attention.key_length", 2).u32_key("llama.attention.value_length", 2);
  file.text_key("llama.rope.scaling.type", "yarn").key("llama.rope.scaling.factor", f32, number_bytes(4.0f));
  file.u32_key("llama.rope.scaling.original_context_length", 4);
  add_sentencepiece_tokenizer(file);
  add_frame(file, 32, 8, kQ8_0);
  add_attention(file, 32, 1, 1, 2);
  return {"llama-blocks.gguf", file.bytes()};
}

// Biases, and norms of queries and keys.
Seed qwen(const std::string& architecture) {
  GgufBytes file;
  file.alignment = 4;
  file.u32_key("general.alignment", 4);
  add_sizes(file, architecture, 4, 2);
  file.u32_key(architecture + ".attention.head_count_kv", 2).u32_key(architecture + ".vocab_size", 10);
  add_byte_level_tokenizer(file, architecture == "qwen2" ? "qwen2" : "llama-bpe");
  add_frame(file, 4, 10, kF16);
  add_attention(file, 4, 2, 2, 2);
  if (architecture == "qwen2") {
    for (const char* name : {"q", "k", "v"}) tensor(file, fmt::format("blk.0.attn_{}.bias", name), {4});
  } else {
    for (const char* name : {"q", "k"}) tensor(file, fmt::format("blk.0.attn_{}_norm.weight", name), {2});
  }
  return {architecture + ".gguf", file.bytes()};
}

// Latent attention, its up-projection whole (as older files have it) or in two.
Seed deepseek(bool split) {
  constexpr int64_t model_dim = 4, heads = 2, nope = 2, rope = 2, value = 3, latent = 4;
  GgufBytes file;
  add_sizes(file, "deepseek2", model_dim, heads);
  file.u32_key("deepseek2.attention.head_count_kv", split ? 1 : heads)
      .u32_key("deepseek2.attention.kv_lora_rank", latent);
  file.u32_key("deepseek2.rope.dimension_count", rope).u32_key("deepseek2.leading_dense_block_count", 1);
  file.u32_key("deepseek2.attention.key_length", split ? latent + rope : nope + rope);
  file.u32_key("deepseek2.attention.value_length", split ? latent : value);
  if (split)
    file.u32_key("deepseek2.attention.key_length_mla", nope + rope)
        .u32_key("deepseek2.attention.value_length_mla", value);
  add_frame(file, model_dim, 10, kF32);
  tensor(file, "blk.0.attn_q.weight", {model_dim, heads * (nope + rope)});
  tensor(file, "blk.0.attn_kv_a_mqa.weight", {model_dim, latent + rope});
  tensor(file, "blk.0.attn_kv_a_norm.weight", {latent});
  if (split) {
    tensor(file, "blk.0.attn_k_b.weight", {nope, latent, heads});
    tensor(file, "blk.0.attn_v_b.weight", {latent, value, heads});
  } else {
    tensor(file, "blk.0.attn_kv_b.weight", {latent, heads * (nope + value)});
  }
  tensor(file, "blk.0.attn_output.weight", {heads * value, model_dim});
  return {split ? "deepseek2.gguf" : "deepseek2-legacy.gguf", file.bytes()};
}

// Every type of metadata, and no model.
Seed metadata() {
  GgufBytes file;
  file.key("u8", u8, "\1").key("i16", i16, number_bytes<int16_t>(-2)).key("f64", f64, number_bytes(0.1));
  file.key("i64", i64, number_bytes<int64_t>(-1)).key("u64", u64, number_bytes<uint64_t>(1)).key("no", boolean, "\2");
  file.key("list.u8", array, numbers_bytes<uint8_t>(u8, {1, 2}))
      .key("list.f64", array, numbers_bytes<double>(f64, {1}));
  file.key("list.no", array, array_bytes(boolean, 2, "\1\1")).key("list.i64", array, numbers_bytes<int64_t>(i64, {-1}));
  tensor(file, "scalar", {}).tensor("zero", {2, 0}, kF16, "");
  return {"metadata.gguf", file.bytes()};
}

}  // namespace

std::vector<Seed> gguf_seeds() {
  return {llama(), llama_blocks(), qwen("qwen2"), qwen("qwen3"), deepseek(true), deepseek(false), metadata()};
}

}  // namespace kv::fuzz
