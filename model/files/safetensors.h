// Safetensors: named tensors in one file. 8 bytes of header length, a JSON header, then the tensors' bytes, row-major
// and little-endian (github.com/huggingface/safetensors).
//
// Reading maps the file and checks everything the header claims, since whatever is wrong here would later be read as
// weights: sizes against shapes, tensors against each other (no hole, no overlap), and all of it against the file's
// size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/files/mapped_file.h"
#include "model/files/stored_tensor.h"

namespace kv {

struct Safetensors {
  std::shared_ptr<const MappedFile> file;  // keeps the bytes of `tensors` mapped
  std::map<std::string, StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
};

// Throws FormatError that names the tensor and what is wrong with it.
Safetensors read_safetensors(const std::filesystem::path& path);

struct TensorToWrite {
  std::string name;
  std::vector<int64_t> shape;
  std::variant<std::span<const float>, std::span<const int32_t>> values;  // as many as the shape says
};

// Writes a file of these tensors in this order. It appears whole or not at all. Throws std::invalid_argument for names
// and shapes that no file can hold, std::runtime_error when it cannot be written.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace kv
