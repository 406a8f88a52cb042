// From what --model says to a file: a path, the name of one of the checkpoints that come with the source tree, or the
// name of a model that `kvlab fetch` brings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/files/load_model.h"

namespace kv::cli {

inline constexpr const char* kDefaultModel = "austen-gqa";

// Where the checkpoints lie: in the tree around the program, else in the tree that it was compiled from.
std::filesystem::path checkpoints_folder();
// The names of those that are there, sorted, and behind them of those that can be fetched.
std::vector<std::string> known_models();

// An existing path as it is; a known name as its folder or file. Throws std::runtime_error that suggests names, or says
// how the model comes here.
std::filesystem::path model_path(const std::string& given);

// load_model, which tells that it is at work when that takes more than a second.
LoadedModel load_named_model(const std::string& given, const LoadOptions& options = {});

}  // namespace kv::cli
