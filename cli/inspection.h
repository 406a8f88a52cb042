// Inspection: what is in a checkpoint, gathered once, and shown as text or as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "model/config.h"
#include "model/shape.h"
#include "model/tokenizer.h"

namespace kv::cli {

struct InspectedTensor {
  std::string name;
  std::string dtype;
  Shape shape;
  int64_t bytes = 0;
};

struct Inspection {
  std::string path;
  std::optional<ModelConfig> config;  // none for a single file of tensors
  std::vector<InspectedTensor> tensors;
  std::map<std::string, std::string> metadata;  // of a safetensors file
  std::optional<Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is none
  std::vector<std::string> notes;

  int64_t weights_bytes() const;
};

// A checkpoint folder, a config.json with or without weights beside it, or a .safetensors file. Throws FormatError.
Inspection inspect(const std::filesystem::path& path);

std::string text_of(const Inspection& inspection, const Terminal& terminal);
std::string json_of(const Inspection& inspection);

}  // namespace kv::cli
