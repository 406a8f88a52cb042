#include "model/files/load_model.h"

#include "model/error.h"
#include "model/files/gguf.h"
#include "model/files/gguf_checkpoint.h"
#include "model/files/hf_checkpoint.h"

namespace kv {

namespace {

LoadedModel load_as_stored(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return load_hf_checkpoint(path / "config.json");
  if (!std::filesystem::exists(path, ignored)) throw FormatError(path.string(), "there is no such file or folder");
  if (path.extension() == ".json") return load_hf_checkpoint(path);
  if (is_gguf(path)) return load_gguf_checkpoint(path);
  throw FormatError(path.string(), "is neither a checkpoint folder, nor a config.json, nor a .gguf file");
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& path, const LoadOptions& options) {
  LoadedModel model = load_as_stored(path);
  if (!options.weights) return model;
  // The new weights and the pages of the files would be in memory together, were those that are read not let go.
  const auto let_go = [&](const WeightMatrix& read) {
    for (const auto& file : model.files) file->let_go({read.data, static_cast<size_t>(read.bytes())});
  };
  model.weights = converted(model.weights, model.config, *options.weights, let_go);
  model.files.clear();
  model.config.weights_dtype = *options.weights;
  return model;
}

}  // namespace kv
