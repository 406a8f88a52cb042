// From what MODEL says to a model that can be sized and priced: no weights are read, and none need to be there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/config.h"

namespace kv::cli {

struct DescribedModel {
  ModelConfig config;
  std::string origin;                           // "preset meta-llama/Llama-3.1-8B", or the file
  std::optional<int64_t> stored_weights_bytes;  // of a GGUF file: all tensors as they lie in it
};

// A file or folder (config.json, a checkpoint's folder, .gguf), the name of a checkpoint that comes with kvlab or can
// be fetched, or of a preset, by hub id or short. Throws std::runtime_error that suggests names, and FormatError.
DescribedModel describe_model(const std::string& given);

inline constexpr const char* kModelHelp =
    "a preset (kvlab models lists them) or its hub id, a\ncheckpoint folder, its config.json, a .gguf file,\n"
    "austen-gqa and its kin, or smollm2";

}  // namespace kv::cli
