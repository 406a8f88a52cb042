// TraceFile: the trace of a run and the file it goes to, so that a kernel written anywhere can be compared with the
// reference.
//
//   FILE.json          counters of each call and layer, and the names and shapes of the tensors
//   FILE.safetensors   the tensors too, as f32, named "call.N.layer.L.queries"; the JSON is the metadata "trace"
// Either appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "model/trace.h"

namespace kv::cli {

class TraceFile {
 public:
  // Throws UsageError for another ending, std::runtime_error when the folder does not exist.
  explicit TraceFile(const std::filesystem::path& path);

  Trace& trace() { return trace_; }
  // Lets go of values that will not be written.
  void after_call();
  void write(const std::string& model, std::span<const int32_t> prompt, std::span<const int32_t> tokens) const;

 private:
  void write_tensors(const std::string& document) const;

  std::filesystem::path path_;
  bool with_values_ = false;
  Trace trace_{Trace::Keep::counters_and_tensors};
};

}  // namespace kv::cli
