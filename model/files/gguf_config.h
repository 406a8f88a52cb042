// The model that the metadata of a GGUF file describes: architectures llama, qwen2, qwen3 and deepseek2, and mixtures
// of experts of these (also qwen2moe, qwen3moe), which are described but cannot run.
//
// What the file does not say is taken from the defaults that its readers agree on, and each of those is recorded in
// `assumed`. A few facts stand in no key but in which tensors there are: a head of its own, biases, rope_freqs.
#pragma once

#include "model/config.h"
#include "model/files/gguf.h"

namespace kv {

// Throws FormatError that names the file, the key and its place.
ModelConfig read_gguf_config(const Gguf& file);

}  // namespace kv
