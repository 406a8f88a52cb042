// Inspection: what is in a checkpoint or a file, gathered once, and shown as text or as JSON.
//
// A file that cannot run is shown all the same, as far as it can be understood; a note says what is in the way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "model/chat_template.h"
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
  std::string format;                 // of a GGUF file: "GGUF version 3, ..."
  std::string architecture;           // that it names
  std::optional<ModelConfig> config;  // none where nothing describes a model that kvlab knows
  std::vector<InspectedTensor> tensors;
  std::optional<int64_t>
      parameters;  // values in the model's tensors, or in those that its config asks for; not always known
  nlohmann::ordered_json metadata;  // of a single file: an object
  std::optional<Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is none
  std::string tokenizer_kind = "byte-pair encoding over bytes";
  std::string pre_tokenizer;  // how a GGUF file calls its rule for cutting texts into words
  std::optional<ChatTemplateText> chat_template;
  std::vector<std::string> notes;

  bool describes_model() const { return config.has_value() || !format.empty(); }
  int64_t weights_bytes() const;
};

// A checkpoint folder, a config.json with or without weights beside it, a .safetensors or a .gguf file. Throws
// FormatError.
Inspection inspect(const std::filesystem::path& path);

std::string text_of(const Inspection& inspection, const Terminal& terminal);
std::string json_of(const Inspection& inspection);

}  // namespace kv::cli
