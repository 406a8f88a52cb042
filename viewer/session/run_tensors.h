// RunTensors: the tensors of a run's file, each of which must be there in the type and shape that it is asked for in.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "model/error.h"
#include "model/files/safetensors.h"
#include "viewer/session/packed_fields.h"
#include "viewer/session/run_file.h"

namespace kv::viewer {

class RunTensors {
 public:
  explicit RunTensors(const std::filesystem::path& path) : file_(path.string()), read_(read_safetensors(path)) {}

  [[noreturn]] void fail(const std::string& what) const { throw FormatError(file_, what); }
  void demand(bool holds, const std::string& what) const {
    if (!holds) fail(what);
  }
  std::string metadata(const std::string& key) const {
    const auto found = read_.metadata.find(key);
    if (found == read_.metadata.end()) fail(fmt::format("is no recorded run: its metadata have no {}", key));
    return found->second;
  }
  std::string hash(const std::string& run) const {
    std::map<std::string, std::span<const std::byte>> tensors;
    for (const auto& [name, tensor] : read_.tensors) tensors[name] = tensor.bytes;
    return hash_of_run(tensors, run);
  }

  // A shape of -1: any.
  template <class Value>
  std::vector<Value> values(const std::string& name, std::vector<int64_t> shape) const {
    const StoredTensor& tensor = checked(name, std::is_same_v<Value, float> ? "F32" : "I32", std::move(shape));
    std::vector<Value> values(tensor.bytes.size() / sizeof(Value));
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  template <class Record>
  std::vector<Record> records(const std::string& name) const {
    const size_t size = words_of<Record>();
    const std::vector<int32_t> words = values<int32_t>(name, {-1, static_cast<int64_t>(size)});
    std::vector<Record> records;
    for (size_t at = 0; at + size <= words.size(); at += size)
      records.push_back(unpack<Record>(std::span(words).subspan(at, size)));
    return records;
  }
  // Demands it without reading it.
  const StoredTensor& checked(const std::string& name, const std::string& dtype, std::vector<int64_t> shape) const {
    const auto found = read_.tensors.find(name);
    if (found == read_.tensors.end()) fail("has no tensor " + name);
    const StoredTensor& tensor = found->second;
    if (shape.size() == tensor.shape.size())
      for (size_t i = 0; i < shape.size(); ++i)
        if (shape[i] < 0) shape[i] = tensor.shape[i];
    demand(tensor.dtype == dtype && tensor.shape == shape,
           fmt::format("{} is {} [{}], expected {} [{}]", name, tensor.dtype, fmt::join(tensor.shape, ", "), dtype,
                       fmt::join(shape, ", ")));
    return tensor;
  }

 private:
  std::string file_;
  Safetensors read_;
};

}  // namespace kv::viewer
