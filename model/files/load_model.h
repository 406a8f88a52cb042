// A checkpoint folder as Hugging Face writes it: config.json, the weights in one safetensors file or in shards with an
// index, and perhaps a tokenizer.json.
//
// Weights stay where they lie in the mapped files. Every tensor that the config asks for must be there with its exact
// shape, and no other: what loads is what the forward pass will use.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/tokenizer.h"
#include "model/weights.h"

namespace kv {

struct LoadedModel {
  ModelConfig config;  // weights_dtype is what most matrices are stored as, whatever config.json says
  Weights weights;
  std::optional<Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is none: absent, or of a kind that kvlab does not read
  std::filesystem::path folder;
  std::vector<std::string> notes;  // choices that were made while loading, as sentences
};

// From a checkpoint's folder or its config.json. Throws FormatError that names the file, and the tensor or field.
LoadedModel load_model(const std::filesystem::path& folder_or_config);

}  // namespace kv
