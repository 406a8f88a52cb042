// The tokenizer.json of a Hugging Face checkpoint, of the byte-level BPE kind (GPT-2, Llama 3, SmolLM, Qwen, DeepSeek).
//
// Every part that would change a token and that we do not know is refused by name. Truncation and padding are about
// batches, and are not read.
#pragma once

#include <filesystem>

#include "model/tokenizer.h"

namespace kv {

// Throws FormatError that names the file and the field; also when there is no such file.
Tokenizer read_hf_tokenizer(const std::filesystem::path& path);

}  // namespace kv
