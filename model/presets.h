// Named models: the config.json that the hub has of each, for sizing and pricing without a download.
//
// The texts hold the fields that say what a model is, as the hub spells them, and are silent where it is: they are read
// by the reader of all config.json files, so that a preset and a downloaded file give the same numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"

namespace kv {

struct Preset {
  std::string_view id;            // on the hub: "meta-llama/Llama-3.1-8B"
  std::string_view name;          // short: "llama-3.1-8b"
  std::string_view config_json;   // as on the hub
  std::string_view verification;  // how surely these are the hub's fields
  std::string_view source;        // where they were read
};

std::span<const Preset> presets();

// By hub id, its last part, or the short name, in any case of letters; or by the beginning of one of them, when no
// other preset begins so. Null when there is none.
const Preset* find_preset(std::string_view text);

// Short names that may have been meant by a text that find_preset does not know: those that begin with it, or else the
// nearest ones.
std::vector<std::string> similar_presets(std::string_view text);

// What the reader of config.json files makes of it, under its short name.
ModelConfig config_of(const Preset& preset);

}  // namespace kv
