// load_model: a model that can run, from whichever kind of file holds it.
//
// Weights stay where they lie in the mapped files, in the type they are stored in, unless another type is asked for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/files/mapped_file.h"
#include "model/tokenizer.h"
#include "model/weights.h"

namespace kv {

struct LoadedModel {
  ModelConfig config;  // weights_dtype is what most matrices are stored as, whatever the file's metadata says
  Weights weights;
  std::optional<Tokenizer> tokenizer;
  std::string no_tokenizer;        // why there is none: absent, or of a kind that kvlab does not read
  std::filesystem::path folder;    // that holds the files
  std::vector<std::string> notes;  // choices that were made while loading, as sentences
  std::vector<std::shared_ptr<const MappedFile>> files;  // in which weights lie; empty when they were stored anew
};

struct LoadOptions {
  std::optional<Dtype> weights;  // f32, f16 or bf16: stored anew, and the file let go; nothing: as the file has them
};

// From a checkpoint's folder, its config.json, or a .gguf file. Throws FormatError that names the file, and the tensor
// or field.
LoadedModel load_model(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace kv
