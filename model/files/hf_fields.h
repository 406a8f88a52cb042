// HfFields: reads the fields of one object of a config.json into a ModelConfig, and leaves a sentence there for every
// default that was used.
//
// A config is silent about much of what a model is. Whoever reads a number from it should see which of its parts were
// never written down.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "model/config.h"
#include "model/files/json.h"
#include "model/files/printable.h"

namespace kv {

// A field's name, and another one that some writers use for it.
struct HfKey {
  const char* name;
  const char* other;
  HfKey(const char* one, const char* another = nullptr) : name(one), other(another) {}
};

class HfFields {
 public:
  HfFields(JsonValue object, ModelConfig& config) : object_(std::move(object)), config_(config) {}

  const JsonValue& object() const { return object_; }

  // Null counts as absent. Both names may stand in a file when they say the same.
  std::optional<JsonValue> find(HfKey key) const {
    const auto found = object_.find(key.name);
    const auto other = key.other == nullptr ? std::nullopt : object_.find(key.other);
    if (found && other && found->shown() != other->shown())
      other->fail(fmt::format("is {}, but {} is {}", other->shown(), key.name, found->shown()));
    return found ? found : other;
  }
  // A field that says null, which some take for "none" where silence means the default.
  bool is_null(HfKey key) const { return object_.contains(key.name) && !find(key); }

  // A size that the file must give: 1 to `most`.
  int64_t size(HfKey key, int64_t most) const {
    const auto found = find(key);
    return (found ? *found : object_.at(key.name)).integer(1, most);
  }
  // A size with a default.
  int64_t size_or(HfKey key, int64_t most, int64_t otherwise, const std::string& why = "") {
    return integer_or(key, 1, most, otherwise, why);
  }
  int64_t integer_or(HfKey key, int64_t least, int64_t most, int64_t otherwise, const std::string& why = "") {
    if (const auto found = find(key)) return found->integer(least, most);
    assume(key, std::to_string(otherwise), why);
    return otherwise;
  }
  double number_or(HfKey key, double otherwise, const std::string& why = "") {
    if (const auto found = find(key)) return found->number();
    assume(key, fmt::format("{}", otherwise), why);
    return otherwise;
  }
  bool boolean_or(HfKey key, bool otherwise, const std::string& why = "") {
    if (const auto found = find(key)) return found->boolean();
    assume(key, otherwise ? "true" : "false", why);
    return otherwise;
  }

  // "num_key_value_heads is absent: 32, as many as heads"
  void assume(HfKey key, const std::string& value, const std::string& why) {
    const std::string name = object_.name().empty() ? key.name : object_.name() + "." + key.name;
    const char* state = object_.contains(key.name) ? "null" : "absent";
    note(fmt::format("{} is {}: {}{}{}", printable(name), state, value, why.empty() ? "" : ", ", why));
  }
  void note(std::string sentence) { config_.assumed.push_back(std::move(sentence)); }

  // The model is described all the same, but kvlab does not run it. The first reason stands.
  void cannot_run(const JsonValue& value, const std::string& what) {
    if (!config_.cannot_run.empty()) return;
    config_.cannot_run = value.name().empty() ? what : fmt::format("{} {}", printable(value.name()), what);
  }

  // The object of that name inside this one.
  HfFields inside(JsonValue object) const { return HfFields(std::move(object), config_); }

 private:
  JsonValue object_;
  ModelConfig& config_;
};

}  // namespace kv
