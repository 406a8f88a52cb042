// A checkpoint folder as Hugging Face writes it: config.json, the weights in one safetensors file or in shards with an
// index, and perhaps a tokenizer.json.
//
// Every tensor that the config asks for must be there with its exact shape, and no other: what loads is what the
// forward pass will use.
#pragma once

#include <filesystem>

#include "model/files/load_model.h"

namespace kv {

// From the folder's config.json. Throws FormatError that names the file, and the tensor or field.
LoadedModel load_hf_checkpoint(const std::filesystem::path& config_path);

}  // namespace kv
