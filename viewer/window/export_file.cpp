#include "viewer/window/export_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

namespace kv::viewer {

namespace {

namespace fs = std::filesystem;

fs::path export_folder() {
  std::error_code ignored;
  const auto folder_in = [&](const char* variable, const char* below) {
    const char* value = std::getenv(variable);
    const fs::path folder = value == nullptr ? fs::path() : fs::path(value) / below;
    return folder.is_absolute() && fs::is_directory(folder, ignored) ? folder : fs::path();
  };
  for (const fs::path& folder :
       {folder_in("XDG_PICTURES_DIR", ""), folder_in("HOME", "Pictures"), folder_in("HOME", "")})
    if (!folder.empty()) return folder;
  return fs::temp_directory_path(ignored);
}

}  // namespace

fs::path export_file(Scene scene, int64_t step) {
  const fs::path folder = export_folder();
  const std::string stem = fmt::format("kvlab-{}-step-{}", scene == Scene::growth ? "growth" : "attention", step);
  std::error_code ignored;
  fs::path file = folder / (stem + ".png");
  for (int number = 2; fs::exists(file, ignored); ++number) file = folder / fmt::format("{}-{}.png", stem, number);
  return file;
}

}  // namespace kv::viewer
