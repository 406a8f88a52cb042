#include "cli/model_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "cli/downloads.h"
#include "cli/progress.h"
#include "model/nearest.h"

namespace kv::cli {

namespace {

namespace fs = std::filesystem;

bool is_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "config.json", ignored);
}

bool holds_checkpoints(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_checkpoint(entry.path())) return true;
  return false;
}

std::string unknown_model(const std::string& given) {
  if (given.empty()) return "the name of the model is empty";
  const std::vector<std::string> known = known_models();
  const std::vector<std::string> near = nearest(given, known);
  if (!near.empty())
    return fmt::format("{}: there is no such model, file or folder; did you mean {}?", given, fmt::join(near, " or "));
  return fmt::format("{}: there is no such model, file or folder; known names are {}", given, fmt::join(known, ", "));
}

}  // namespace

// The program lies in BUILD/cli, and BUILD in TREE/build or TREE: a tree that was moved still finds its checkpoints.
fs::path checkpoints_folder() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; !error && level < 4 && folder.has_relative_path(); ++level, folder = folder.parent_path())
    if (holds_checkpoints(folder / "checkpoints")) return folder / "checkpoints";
  return KVLAB_CHECKPOINTS;
}

std::vector<std::string> known_models() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(checkpoints_folder(), ignored))
    if (is_checkpoint(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  for (const Download& download : downloads()) names.emplace_back(download.name);
  return names;
}

fs::path model_path(const std::string& given) {
  std::error_code ignored;
  if (fs::exists(given, ignored)) return given;
  const bool is_name = !given.empty() && given.find('/') == std::string::npos && given != "." && given != "..";
  if (is_name && is_checkpoint(checkpoints_folder() / given)) return checkpoints_folder() / given;
  if (const Download* download = find_download(given)) return model_file(*download);
  throw std::runtime_error(unknown_model(given));
}

LoadedModel load_named_model(const std::string& given, const LoadOptions& options) {
  const fs::path path = model_path(given);
  const Progress progress(fmt::format("loading {}", given));
  return load_model(path, options);
}

}  // namespace kv::cli
