#include "model/files/hf_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "model/error.h"
#include "model/files/hf_config.h"
#include "model/files/hf_tokenizer.h"
#include "model/files/is_there.h"
#include "model/files/json.h"
#include "model/files/printable.h"
#include "model/files/safetensors.h"
#include "model/files/stored_weights.h"

namespace kv {

namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

// Whether a file is there to be opened; a name that no file can have is not.
// The tensors of a checkpoint, wherever they lie.
struct Checkpoint {
  struct Tensor {
    StoredTensor stored;
    std::string file;
  };
  std::string origin;  // the file that says which tensors there are
  std::map<std::string, Tensor> tensors;
  std::vector<std::shared_ptr<const MappedFile>> files;
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
      throw FormatError(tensor.file,
                        fmt::format("{} is not part of the model that config.json describes", printable(name)));
  }
  if (frequencies > 0)
    model.notes.push_back(
        fmt::format("{} tensors of rotary frequencies are not used: they follow from the config.", frequencies));
  if (further_layers > 0)
    model.notes.push_back(fmt::format("{} tensors behind layer {} are not used: they predict further tokens.",
                                      further_layers, model.config.layers - 1));
}

void load_weights(const Checkpoint& checkpoint, LoadedModel& model) {
  model.files = checkpoint.files;
  model.weights.owners.assign(checkpoint.files.begin(), checkpoint.files.end());
  const std::vector<ExpectedTensor> list = expected_tensors(model.config, model.weights);
  std::set<std::string> used;
  for (const ExpectedTensor& expected : list) {
    const auto tensor = checkpoint.tensors.find(expected.name);
    if (tensor == checkpoint.tensors.end())
      throw FormatError(checkpoint.origin,
                        fmt::format("{} is missing{}", expected.name,
                                    expected.name == "lm_head.weight" ? ", and tie_word_embeddings is not true" : ""));
    place_tensor(tensor->second.file, expected.name, tensor->second.stored, expected, model.weights);
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

}  // namespace

LoadedModel load_hf_checkpoint(const std::filesystem::path& config_path) {
  LoadedModel model;
  model.folder = config_path.has_parent_path() ? config_path.parent_path() : std::filesystem::path(".");
  model.config = read_runnable_hf_config(config_path);
  load_weights(open_checkpoint(model.folder, model.notes), model);
  load_tokenizer(model);
  return model;
}

}  // namespace kv
