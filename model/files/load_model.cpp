#include "model/files/load_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "model/error.h"
#include "model/files/hf_config.h"
#include "model/files/hf_tokenizer.h"
#include "model/files/json.h"
#include "model/files/safetensors.h"

namespace kv {

namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

// Whether a file is there to be opened; a name that no file can have is not.
bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// The tensors of a checkpoint, wherever they lie.
struct Checkpoint {
  struct Tensor {
    StoredTensor stored;
    std::string file;
  };
  std::string origin;  // the file that says which tensors there are
  std::map<std::string, Tensor> tensors;
  std::vector<std::shared_ptr<const void>> files;
};

// --- Find the tensors ---

Checkpoint open_single_file(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  checkpoint.origin = path.string();
  Safetensors file = read_safetensors(path);
  for (auto& [name, tensor] : file.tensors) checkpoint.tensors[name] = {std::move(tensor), path.string()};
  checkpoint.files.push_back(std::move(file.file));
  return checkpoint;
}

// Only what the index names is loaded: other files in the folder, and other tensors in its shards, are not.
Checkpoint open_shards(const std::filesystem::path& index_path) {
  Checkpoint checkpoint;
  checkpoint.origin = index_path.string();
  std::map<std::string, Safetensors> shards;
  for (const auto& [name, place] : JsonValue::read(index_path).at("weight_map").fields()) {
    const std::string& shard_name = place.text();
    // A name that leaves the folder would read a file that nobody meant.
    if (shard_name.empty() || shard_name == "." || shard_name == ".." ||
        shard_name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
      place.fail(fmt::format("is {}, expected a plain file name", place.shown()));
    const std::filesystem::path shard_path = index_path.parent_path() / shard_name;
    auto shard = shards.find(shard_name);
    if (shard == shards.end()) {
      if (!is_there(shard_path)) place.fail(fmt::format("is {}, a shard that is missing", place.shown()));
      shard = shards.emplace(shard_name, read_safetensors(shard_path)).first;
      checkpoint.files.push_back(shard->second.file);
    }
    const auto tensor = shard->second.tensors.find(name);
    if (tensor == shard->second.tensors.end())
      place.fail(fmt::format("is {}, but that file has no such tensor", place.shown()));
    checkpoint.tensors[name] = {tensor->second, shard_path.string()};
  }
  return checkpoint;
}

Checkpoint open_checkpoint(const std::filesystem::path& folder, std::vector<std::string>& notes) {
  const bool has_index = is_there(folder / kIndexFile);
  const bool has_single_file = is_there(folder / kSingleFile);
  if (!has_index && !has_single_file)
    throw FormatError(folder.string(),
                      fmt::format("has neither {} nor {}: there are no weights to run", kSingleFile, kIndexFile));
  if (!has_index) return open_single_file(folder / kSingleFile);
  Checkpoint checkpoint = open_shards(folder / kIndexFile);
  const auto is_shard = [&](const auto& entry) { return entry.second.file == (folder / kSingleFile).string(); };
  if (has_single_file && std::none_of(checkpoint.tensors.begin(), checkpoint.tensors.end(), is_shard))
    notes.push_back(fmt::format("{} is not read, since {} names other files.", kSingleFile, kIndexFile));
  return checkpoint;
}

// --- Put them in their places ---

std::string shape_text(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Dtype dtype_of(const std::string& name, const Checkpoint::Tensor& tensor) {
  if (tensor.stored.dtype == "F32") return Dtype::f32;
  if (tensor.stored.dtype == "F16") return Dtype::f16;
  if (tensor.stored.dtype == "BF16") return Dtype::bf16;
  throw FormatError(
      tensor.file, fmt::format("{} is stored as {}; kvlab computes with F32, F16 and BF16", name, tensor.stored.dtype));
}

// The loads of the forward pass need whole values at whole addresses. Every known writer pads the header to 8 bytes,
// but the format does not demand it: a tensor that lies askew is copied, the only copy there is.
const std::byte* aligned_data(const Checkpoint::Tensor& tensor, Dtype dtype, Weights& weights) {
  const std::span<const std::byte> bytes = tensor.stored.bytes;
  if (tensor.stored.file_offset % bytes_of(dtype) == 0) return bytes.data();
  const auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  weights.owners.push_back(copy);
  return copy->data();
}

void place_tensor(const ExpectedTensor& expected, const Checkpoint::Tensor& tensor, Weights& weights) {
  const std::vector<int64_t> shape =
      expected.vector ? std::vector{expected.cols} : std::vector{expected.rows, expected.cols};
  if (tensor.stored.shape != shape)
    throw FormatError(tensor.file, fmt::format("{} has shape {}, but the config asks for {}", expected.name,
                                               shape_text(tensor.stored.shape), shape_text(shape)));
  const Dtype dtype = dtype_of(expected.name, tensor);
  *expected.place = {aligned_data(tensor, dtype, weights), dtype, expected.rows, expected.cols, expected.name};
}

// --- What is left over ---

// The number in "model.layers.N.", or -1.
int64_t layer_of(std::string_view name) {
  constexpr std::string_view kPrefix = "model.layers.";
  if (!name.starts_with(kPrefix)) return -1;
  int64_t layer = -1;
  for (const char c : name.substr(kPrefix.size(), 6)) {
    if (c < '0' || c > '9') break;
    layer = std::max<int64_t>(layer, 0) * 10 + (c - '0');
  }
  return layer;
}

// Decides about tied embeddings whose file has a head all the same: the embedding is used, as the config says.
std::string note_on_tied_head(const Checkpoint::Tensor& head, const WeightMatrix& embedding) {
  const bool same = head.stored.bytes.size() == static_cast<size_t>(embedding.bytes()) &&
                    std::memcmp(head.stored.bytes.data(), embedding.data, head.stored.bytes.size()) == 0;
  return same ? "lm_head.weight is a copy of the embedding and is not used (tie_word_embeddings)."
              : "lm_head.weight differs from the embedding, but tie_word_embeddings is true: the embedding is used.";
}

// Tensors that the model does not ask for are an error, unless they are known to change nothing.
void account_for_the_rest(const Checkpoint& checkpoint, const std::set<std::string>& used, LoadedModel& model) {
  int64_t frequencies = 0, further_layers = 0;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (used.contains(name)) continue;
    if (name.ends_with(".rotary_emb.inv_freq"))
      ++frequencies;
    else if (model.config.family == Family::deepseek_v3 && layer_of(name) >= model.config.layers)
      ++further_layers;
    else if (name == "lm_head.weight" && model.config.tied_embeddings)
      model.notes.push_back(note_on_tied_head(tensor, model.weights.embedding));
    else
      throw FormatError(tensor.file, fmt::format("{} is not part of the model that config.json describes", name));
  }
  if (frequencies > 0)
    model.notes.push_back(
        fmt::format("{} tensors of rotary frequencies are not used: they follow from the config.", frequencies));
  if (further_layers > 0)
    model.notes.push_back(fmt::format("{} tensors behind layer {} are not used: they predict further tokens.",
                                      further_layers, model.config.layers - 1));
}

Dtype dtype_of_most_matrices(const std::vector<ExpectedTensor>& list) {
  std::map<Dtype, int64_t> counts;
  for (const ExpectedTensor& tensor : list)
    if (!tensor.vector) ++counts[tensor.place->dtype];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(counts.begin(), counts.end(), fewer)->first;
}

void load_weights(const Checkpoint& checkpoint, LoadedModel& model) {
  model.weights.owners = checkpoint.files;
  const std::vector<ExpectedTensor> list = expected_tensors(model.config, model.weights);
  std::set<std::string> used;
  for (const ExpectedTensor& expected : list) {
    const auto tensor = checkpoint.tensors.find(expected.name);
    if (tensor == checkpoint.tensors.end())
      throw FormatError(checkpoint.origin,
                        fmt::format("{} is missing{}", expected.name,
                                    expected.name == "lm_head.weight" ? ", and tie_word_embeddings is not true" : ""));
    place_tensor(expected, tensor->second, model.weights);
    used.insert(expected.name);
  }
  if (model.config.tied_embeddings) model.weights.head = model.weights.embedding;
  account_for_the_rest(checkpoint, used, model);
  model.config.weights_dtype = dtype_of_most_matrices(list);
}

// A checkpoint without a tokenizer still runs on token ids, so that a missing or unknown one is told, not thrown.
void load_tokenizer(LoadedModel& model) {
  const std::filesystem::path path = model.folder / "tokenizer.json";
  try {
    if (is_there(path))
      model.tokenizer = read_hf_tokenizer(path);
    else
      model.no_tokenizer = "there is no tokenizer.json in " + model.folder.string();
  } catch (const FormatError& error) {
    model.no_tokenizer = error.what();
  }
  if (!model.tokenizer) model.notes.push_back("Without a tokenizer: " + model.no_tokenizer + ".");
}

std::filesystem::path config_path(const std::filesystem::path& given) {
  std::error_code ignored;
  if (std::filesystem::is_directory(given, ignored)) return given / "config.json";
  if (!is_there(given)) throw FormatError(given.string(), "there is no such file or folder");
  if (given.extension() != ".json")
    throw FormatError(given.string(), "is neither a checkpoint folder nor a config.json");
  return given;
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& folder_or_config) {
  LoadedModel model;
  const std::filesystem::path path = config_path(folder_or_config);
  model.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  model.config = read_hf_config(path);
  load_weights(open_checkpoint(model.folder, model.notes), model);
  load_tokenizer(model);
  return model;
}

}  // namespace kv
