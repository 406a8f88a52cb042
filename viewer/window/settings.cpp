#include "viewer/window/settings.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "viewer/session/player.h"

namespace kv::viewer {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<fs::path> folder_from(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<fs::path> settings_file() {
  if (const auto folder = folder_from("XDG_CONFIG_HOME")) return *folder / "kvlab" / "viewer.json";
  if (const auto folder = folder_from("HOME")) return *folder / ".config" / "kvlab" / "viewer.json";
  return std::nullopt;
}

Settings read_settings(const std::optional<fs::path>& file) {
  Settings settings;
  if (!file) return settings;
  std::ifstream stream(*file);
  const json told = json::parse(stream, nullptr, false);  // discarded when it is no JSON
  if (!told.is_object()) return settings;
  if (const auto it = told.find("theme"); it != told.end() && *it == "light") settings.theme = Theme::light;
  if (const auto it = told.find("panel"); it != told.end() && it->is_boolean()) settings.panel = it->get<bool>();
  if (const auto it = told.find("reduced_motion"); it != told.end() && it->is_boolean())
    settings.reduced_motion = it->get<bool>();
  if (const auto it = told.find("speed"); it != told.end() && it->is_number()) {
    const double speed = it->get<double>();
    if (speed >= Player::kSlowest && speed <= Player::kFastest) settings.speed = speed;
  }
  return settings;
}

bool write_settings(const std::optional<fs::path>& file, const Settings& settings) {
  if (!file) return false;
  std::error_code error;
  fs::create_directories(file->parent_path(), error);
  if (error) return false;
  // Two viewers that close at the same time write two files, and one of them stays.
  const fs::path draft = file->string() + "." + std::to_string(::getpid());
  std::ofstream stream(draft);
  stream << json{{"theme", settings.theme == Theme::light ? "light" : "dark"},
                 {"panel", settings.panel},
                 {"reduced_motion", settings.reduced_motion},
                 {"speed", settings.speed}}
                .dump(2)
         << '\n';
  stream.close();
  if (stream) fs::rename(draft, *file, error);
  if (stream && !error) return true;
  fs::remove(draft, error);
  return false;
}

}  // namespace kv::viewer
