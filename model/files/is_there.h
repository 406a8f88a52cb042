// Whether a path leads to something; false also where nobody can tell, a folder without permission for example.
#pragma once

#include <filesystem>
#include <system_error>

namespace kv {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace kv
