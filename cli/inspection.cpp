#include "cli/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

#include "cli/chat_prompt.h"
#include "cli/gguf_inspection.h"
#include "model/error.h"
#include "model/files/gguf.h"
#include "model/files/hf_config.h"
#include "model/files/hf_tokenizer.h"
#include "model/files/is_there.h"
#include "model/files/load_model.h"
#include "model/files/safetensors.h"
#include "model/parameters.h"

namespace kv::cli {

namespace {

namespace fs = std::filesystem;

bool has_weights(const fs::path& folder) {
  return is_there(folder / "model.safetensors") || is_there(folder / "model.safetensors.index.json");
}

void inspect_tensors(const fs::path& path, Inspection& found) {
  const Safetensors file = read_safetensors(path);
  for (const auto& [name, tensor] : file.tensors) {
    std::string dtype = tensor.dtype;
    std::transform(dtype.begin(), dtype.end(), dtype.begin(), [](unsigned char c) { return std::tolower(c); });
    found.tensors.push_back({name, dtype, tensor.shape, std::ssize(tensor.bytes)});
  }
  found.metadata = nlohmann::ordered_json(file.metadata);
}

// The tensors as the forward pass will use them, in its order.
void inspect_model(const fs::path& path, Inspection& found) {
  LoadedModel model = load_model(path);
  for (const ExpectedTensor& tensor : expected_tensors(model.config, model.weights)) {
    const Shape shape = tensor.vector ? Shape{tensor.cols} : Shape{tensor.rows, tensor.cols};
    found.tensors.push_back({tensor.name, std::string(name_of(tensor.place->dtype)), shape, tensor.place->bytes()});
  }
  found.parameters = count_parameters(model.config).total();
  found.config = std::move(model.config);
  found.tokenizer = std::move(model.tokenizer);
  found.no_tokenizer = std::move(model.no_tokenizer);
  found.notes = std::move(model.notes);
  if (!found.tokenizer)  // it is told in a place of its own
    std::erase_if(found.notes, [&](const std::string& note) { return note.find(found.no_tokenizer) != note.npos; });
}

// A model that is not loaded: there are no weights, or it is of a kind that does not run.
void inspect_config(const fs::path& path, Inspection& found) {
  found.config = read_hf_config(path);
  if (found.config->unknown_parameters.empty())
    found.parameters = count_parameters(*found.config).total();
  else
    found.notes.push_back(found.config->unknown_parameters);
  if (!found.config->cannot_run.empty())
    found.notes.push_back(fmt::format("It can be sized, but kvlab does not run it: {}.", found.config->cannot_run));
  if (!has_weights(path.parent_path()))
    found.notes.push_back("There are no weights beside this config.json: it can be sized, but it cannot run.");
  const fs::path tokenizer = path.parent_path() / "tokenizer.json";
  if (!is_there(tokenizer)) {
    found.no_tokenizer = "there is no tokenizer.json";
    return;
  }
  try {
    found.tokenizer = read_hf_tokenizer(tokenizer);
  } catch (const FormatError& error) {
    found.no_tokenizer = error.what();
  }
}

void inspect_folder(const fs::path& config, Inspection& found) {
  if (has_weights(config.parent_path()) && read_hf_config(config).cannot_run.empty())
    inspect_model(config, found);
  else
    inspect_config(config, found);
}

void inspect_chat_template(const fs::path& path, Inspection& found) {
  try {
    found.chat_template = chat_template_at(path);
  } catch (const FormatError& error) {
    found.notes.push_back(fmt::format("Its chat template cannot be read: {}.", error.what()));
  }
}

}  // namespace

int64_t Inspection::weights_bytes() const {
  int64_t bytes = 0;
  for (const InspectedTensor& tensor : tensors) bytes += tensor.bytes;
  return bytes;
}

Inspection inspect(const fs::path& path) {
  std::error_code ignored;
  Inspection found;
  found.path = path.string();
  if (path.extension() == ".safetensors")
    inspect_tensors(path, found);
  else if (is_gguf(path))
    inspect_gguf(path, found);
  else
    inspect_folder(fs::is_directory(path, ignored) ? path / "config.json" : path, found);
  if (found.describes_model()) inspect_chat_template(path, found);
  return found;
}

}  // namespace kv::cli
