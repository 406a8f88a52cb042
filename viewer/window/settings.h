// Settings: what the reader chose last time. Kept in the user's configuration folder, or nowhere; never in the current
// folder, and a file that cannot be read or written stops nothing.
#pragma once

#include <filesystem>
#include <optional>

#include "viewer/draw/view_state.h"

namespace kv::viewer {

struct Settings {
  Theme theme = Theme::dark;
  bool panel = true;
  bool reduced_motion = false;
  double speed = 8;  // steps a second
  bool operator==(const Settings&) const = default;
};

// $XDG_CONFIG_HOME/kvlab/viewer.json, or ~/.config/kvlab/viewer.json; nothing when neither is set to an absolute path.
std::optional<std::filesystem::path> settings_file();

// What the file says; for all that is missing or no good, the default.
Settings read_settings(const std::optional<std::filesystem::path>& file);
// Whole or not at all. False when it cannot be written.
bool write_settings(const std::optional<std::filesystem::path>& file, const Settings& settings);

}  // namespace kv::viewer
