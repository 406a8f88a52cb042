#include "cli/described_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "cli/downloads.h"
#include "cli/model_path.h"
#include "model/checked.h"
#include "model/error.h"
#include "model/files/gguf.h"
#include "model/files/gguf_config.h"
#include "model/files/hf_config.h"
#include "model/files/is_there.h"
#include "model/nearest.h"
#include "model/presets.h"

namespace kv::cli {

namespace {

namespace fs = std::filesystem;

DescribedModel describe_gguf(const fs::path& path) {
  const Gguf file = read_gguf(path);
  int64_t bytes = 0;
  for (const GgufTensor& tensor : file.tensors) bytes = checked_sum({bytes, std::ssize(tensor.stored.bytes)});
  return {read_gguf_config(file), path.string(), bytes};
}

DescribedModel describe_path(const fs::path& path) {
  std::error_code ignored;
  if (is_gguf(path)) return describe_gguf(path);
  if (path.extension() == ".safetensors")
    throw FormatError(path.string(), "holds tensors alone, not the shape of a model: give its folder or config.json");
  const fs::path config = fs::is_directory(path, ignored) ? path / "config.json" : path;
  return {read_hf_config(config), config.string(), std::nullopt};
}

DescribedModel describe_preset(const Preset& preset) {
  return {config_of(preset), fmt::format("preset {}", preset.id), std::nullopt};
}

// A model that can be fetched is sized from its file once that is there, and before from the preset of the same model.
DescribedModel describe_download(const Download& download) {
  const char* named = std::getenv(variable_of(download).c_str());
  if ((named != nullptr && *named != '\0') || is_there(cached_file(download)))
    return describe_gguf(model_file(download));
  const std::string family = std::string(download.name) + "-";
  for (const Preset& preset : presets())
    if (preset.name.starts_with(family)) {
      DescribedModel model = describe_preset(preset);
      model.config.assumed.push_back(fmt::format("{} is not fetched: this is {}", download.name, model.origin));
      return model;
    }
  return describe_gguf(model_file(download));  // throws what to do
}

std::string unknown_model(const std::string& given) {
  if (given.empty()) return "the name of the model is empty";
  std::vector<std::string> near = similar_presets(given);
  const std::vector<std::string> own = nearest(given, known_models());
  if (near.empty() || !near.front().starts_with(given)) near.insert(near.end(), own.begin(), own.end());
  constexpr size_t kMost = 6;
  if (near.size() > kMost) near.resize(kMost);
  if (near.empty())
    return fmt::format("{}: there is no such model, file or folder; kvlab models lists the names", given);
  return fmt::format("{}: there is no such model, file or folder; did you mean {}?", given, fmt::join(near, " or "));
}

}  // namespace

DescribedModel describe_model(const std::string& given) {
  if (!given.empty() && is_there(given)) return describe_path(given);
  const std::vector<std::string> own = known_models();
  if (const Download* download = find_download(given)) return describe_download(*download);
  if (std::find(own.begin(), own.end(), given) != own.end()) return describe_path(model_path(given));
  if (const Preset* preset = find_preset(given)) return describe_preset(*preset);
  throw std::runtime_error(unknown_model(given));
}

}  // namespace kv::cli
