// Where an exported picture goes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "viewer/draw/action.h"

namespace kv::viewer {

// kvlab-growth-step-98.png in the reader's folder of pictures, else in the home folder, else among temporary files;
// with -2, -3, ... behind it where there is one already. Never in the current folder.
std::filesystem::path export_file(Scene scene, int64_t step);

}  // namespace kv::viewer
