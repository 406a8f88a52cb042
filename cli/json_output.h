// The JSON that the program writes: keys in the order in which they were set, always valid UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/trace.h"

namespace kv::cli {

nlohmann::ordered_json json_of(const Counters& counters);

// One document, indented for people too; arrays of numbers stay on one line. `compact_text` is all one line.
std::string document_text(const nlohmann::ordered_json& document);
std::string compact_text(const nlohmann::ordered_json& document);

}  // namespace kv::cli
