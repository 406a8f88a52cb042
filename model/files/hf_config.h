// The config.json of a Hugging Face checkpoint: llama, mistral, qwen2, qwen3, and DeepSeek-V2 and V3 without experts.
//
// What a config does not say is taken from its family's defaults, and each of those is recorded in `assumed`. What
// would change the computation in a way that we do not know is refused, with the field and its value: a model that runs
// is the model that the file describes.
#pragma once

#include <filesystem>

#include "model/config.h"

namespace kv {

// Throws FormatError that names the file and the field as the file spells it.
ModelConfig read_hf_config(const std::filesystem::path& path);

}  // namespace kv
