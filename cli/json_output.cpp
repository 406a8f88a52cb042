#include "cli/json_output.h"

#include <algorithm>

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;

bool is_simple(const Json& value) {
  return !value.is_structured() ||
         (value.is_array() &&
          std::none_of(value.begin(), value.end(), [](const Json& v) { return v.is_structured(); }) &&
          (value.empty() || value.front().is_number()));
}

void append(std::string& text, const Json& value, size_t depth) {
  if (is_simple(value) || value.empty()) {
    text += compact_text(value);
    return;
  }
  const std::string margin(2 * depth, ' ');
  text += value.is_object() ? "{" : "[";
  const char* separator = "\n";
  for (const auto& item : value.items()) {
    text += separator + margin + "  ";
    if (value.is_object()) text += compact_text(item.key()) + ": ";
    append(text, item.value(), depth + 1);
    separator = ",\n";
  }
  text += "\n" + margin + (value.is_object() ? "}" : "]");
}

}  // namespace

Json json_of(const Counters& counters) {
  return {{"matmul_flops", counters.matmul_flops},
          {"other_flops", counters.other_flops},
          {"weight_bytes", counters.weight_bytes},
          {"cache_bytes_read", counters.cache_bytes_read},
          {"cache_bytes_written", counters.cache_bytes_written},
          {"kv_projections", counters.kv_projections},
          {"score_pairs", counters.score_pairs}};
}

// File names may hold any byte; a document may not.
std::string compact_text(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string document_text(const Json& document) {
  std::string text;
  append(text, document, 0);
  return text;
}

}  // namespace kv::cli
