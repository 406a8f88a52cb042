#include "cli/trace_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "cli/json_output.h"
#include "cli/options.h"
#include "model/files/safetensors.h"

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json json_of_call(const TracedCall& call) {
  Json layers = Json::array(), tensors = Json::array();
  for (const Counters& counters : call.layers) layers.push_back(json_of(counters));
  for (const TracedTensor& tensor : call.tensors) tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  return {{"first_position", call.first_position},
          {"tokens", call.tokens},
          {"total", json_of(call.total())},
          {"layers", layers},
          {"ends", json_of(call.ends)},
          {"tensors", tensors}};
}

// Under a temporary name in the same folder first: a reader never sees half a document.
void write_whole(const fs::path& path, const std::string& text) {
  const fs::path temporary = path.string() + fmt::format(".unfinished-{}", ::getpid());
  std::error_code error;
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) fs::rename(temporary, path, error);
  if (stream && !error) return;
  fs::remove(temporary, error);
  throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace

TraceFile::TraceFile(const fs::path& path) : path_(path), with_values_(path.extension() == ".safetensors") {
  if (!with_values_ && path.extension() != ".json")
    throw UsageError(
        fmt::format("--trace: expected a file that ends in .json or .safetensors, found \"{}\"", path.string()));
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw std::runtime_error(path.string() + ": is a folder; the trace is a file");
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), ignored))
    throw std::runtime_error(fmt::format("{}: the folder of the trace does not exist", path.parent_path().string()));
}

void TraceFile::after_call() {
  if (with_values_) return;
  for (TracedTensor& tensor : trace_.current().tensors) std::vector<double>().swap(tensor.values);
}

void TraceFile::write(const std::string& model, std::span<const int32_t> prompt,
                      std::span<const int32_t> tokens) const {
  Json calls = Json::array();
  for (const TracedCall& call : trace_.calls()) calls.push_back(json_of_call(call));
  const Json document = {{"model", model},
                         {"prompt_ids", prompt},
                         {"tokens", tokens},
                         {"total", json_of(trace_.total())},
                         {"calls", calls}};
  if (with_values_)
    write_tensors(compact_text(document));
  else
    write_whole(path_, document_text(document) + "\n");
}

void TraceFile::write_tensors(const std::string& document) const {
  std::deque<std::vector<float>> values;  // computed as f32, so that nothing is lost
  std::vector<TensorToWrite> tensors;
  for (size_t n = 0; n < trace_.calls().size(); ++n) {
    for (const TracedTensor& tensor : trace_.calls()[n].tensors) {
      std::vector<float>& narrowed = values.emplace_back();
      for (const double value : tensor.values) narrowed.push_back(static_cast<float>(value));
      tensors.push_back({fmt::format("call.{}.{}", n, tensor.name), tensor.shape, std::span<const float>(narrowed)});
    }
  }
  write_safetensors(path_, tensors, {{"trace", document}});
}

}  // namespace kv::cli
