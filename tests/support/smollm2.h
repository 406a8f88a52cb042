// SmolLM2-135M-Instruct as `kvlab fetch smollm2` brings it: 99 MB that no repository holds, so tests of it are skipped
// where it is absent.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/skipped.h"

namespace kv::test {

// $KVLAB_SMOLLM2, else kvlab/SmolLM2-135M-Instruct.Q4_1.gguf in the user's cache folder. Nothing when it is not there;
// throws when KVLAB_SMOLLM2 names no file.
inline std::optional<std::filesystem::path> smollm2_file() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string named = variable("KVLAB_SMOLLM2"); !named.empty()) {
    if (!std::filesystem::is_regular_file(named))
      throw std::runtime_error("KVLAB_SMOLLM2 is " + named + ", where there is no file");
    return named;
  }
  std::string cache = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  if (!cache.starts_with('/')) cache.clear();  // a relative one does not count (XDG Base Directory Specification)
  if (cache.empty() && home.empty()) return std::nullopt;
  const std::filesystem::path folder =
      cache.empty() ? std::filesystem::path(home) / ".cache" : std::filesystem::path(cache);
  const std::filesystem::path file = folder / "kvlab" / "SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  return file;
}

// The same; where there is none, the running test is counted as skipped and has to return.
inline std::optional<std::filesystem::path> smollm2_or_skip() {
  const auto file = smollm2_file();
  if (!file) skip("needs the SmolLM2 file (kvlab fetch smollm2)");
  return file;
}

}  // namespace kv::test
