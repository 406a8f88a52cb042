// The config.json of a Hugging Face checkpoint, of every family that we know.
//
// What a config does not say is taken from its family's defaults, and each of those is recorded in `assumed`. What
// would change the computation in a way that we do not follow is recorded in `cannot_run`: such a model can be sized
// and priced. What leaves a size unknown, or makes it absurd, is an error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/config.h"

namespace kv {

// Both throw FormatError that names the file and the field as the file spells it. In a text, `file` names it in errors.
ModelConfig read_hf_config(const std::filesystem::path& path);
ModelConfig parse_hf_config(const std::string& file, std::string_view text);

// Throws FormatError with the reason when kvlab cannot run the model as well: a model that runs is the model that the
// file describes.
ModelConfig read_runnable_hf_config(const std::filesystem::path& path);

}  // namespace kv
