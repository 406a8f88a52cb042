// HfFields: reads the fields of one object of a config.json, and leaves a sentence for every default that was used.
//
// A config is silent about much of what a model is. Whoever reads a number from it should see which of its parts were
// never written down.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/files/json.h"

namespace kv {

class HfFields {
 public:
  HfFields(JsonValue object, std::vector<std::string>& assumed) : object_(std::move(object)), assumed_(assumed) {}

  const JsonValue& object() const { return object_; }
  std::vector<std::string>& assumed() { return assumed_; }

  // A size that the file must give: 1 to `most`.
  int64_t size(const std::string& key, int64_t most) { return object_.at(key).integer(1, most); }
  // A size with a default. Null counts as absent.
  int64_t size_or(const std::string& key, int64_t most, int64_t otherwise, const std::string& why = "") {
    if (const auto found = object_.find(key)) return found->integer(1, most);
    assume(key, std::to_string(otherwise), why);
    return otherwise;
  }
  double number_or(const std::string& key, double otherwise, const std::string& why = "") {
    if (const auto found = object_.find(key)) return found->number();
    assume(key, fmt::format("{}", otherwise), why);
    return otherwise;
  }
  bool boolean_or(const std::string& key, bool otherwise, const std::string& why = "") {
    if (const auto found = object_.find(key)) return found->boolean();
    assume(key, otherwise ? "true" : "false", why);
    return otherwise;
  }

  // "num_key_value_heads is absent: 32, as many as heads"
  void assume(const std::string& key, const std::string& value, const std::string& why) {
    const std::string name = object_.name().empty() ? key : object_.name() + "." + key;
    const char* state = object_.contains(key) ? "null" : "absent";
    assumed_.push_back(fmt::format("{} is {}: {}{}{}", name, state, value, why.empty() ? "" : ", ", why));
  }

 private:
  JsonValue object_;
  std::vector<std::string>& assumed_;
};

}  // namespace kv
