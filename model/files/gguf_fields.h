// GgufFields: reads the keys of one architecture ("llama.block_count" as "block_count"), and leaves a sentence for
// every default that was used.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/files/gguf.h"

namespace kv {

class GgufFields {
 public:
  GgufFields(const Gguf& file, std::string_view architecture, std::vector<std::string>& assumed)
      : file_(file), prefix_(std::string(architecture) + "."), assumed_(assumed) {}

  std::string name(const std::string& key) const { return prefix_ + key; }
  const GgufValue* find(const std::string& key) const { return file_.find(prefix_ + key); }
  const GgufValue& at(const std::string& key) const { return file_.at(prefix_ + key); }

  // A size that the file must give: 1 to `most`.
  int64_t size(const std::string& key, int64_t most) const { return at(key).integer(1, most); }
  // A size with a default.
  int64_t size_or(const std::string& key, int64_t most, int64_t otherwise, const std::string& why = "") {
    if (const GgufValue* found = find(key)) return found->integer(1, most);
    assume(key, std::to_string(otherwise), why);
    return otherwise;
  }
  // A count that is 0 when the file is silent, which says nothing.
  int64_t count(const std::string& key, int64_t most) const {
    const GgufValue* found = find(key);
    return found == nullptr ? 0 : found->integer(0, most);
  }
  // A size for each layer: one value for all of them, or an array.
  std::vector<int64_t> per_layer(const std::string& key, int64_t layers, int64_t most) const {
    const GgufValue& value = at(key);
    if (!value.is_array()) return std::vector(static_cast<size_t>(layers), value.integer(1, most));
    if (value.size() != layers)
      value.fail(fmt::format("has {} elements, but {}block_count is {}", value.size(), prefix_, layers));
    return value.integers(1, most);
  }
  double number_or(const std::string& key, double otherwise, const std::string& why = "") {
    if (const GgufValue* found = find(key)) return found->number();
    assume(key, fmt::format("{}", otherwise), why);
    return otherwise;
  }

  // "llama.rope.freq_base is absent: 10000"
  void assume(const std::string& key, const std::string& value, const std::string& why) {
    assumed_.push_back(fmt::format("{}{} is absent: {}{}{}", prefix_, key, value, why.empty() ? "" : ", ", why));
  }

 private:
  const Gguf& file_;
  std::string prefix_;
  std::vector<std::string>& assumed_;
};

}  // namespace kv
