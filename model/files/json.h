// JsonValue: a value of a JSON file that knows its name, so that a wrong one is reported as
// "config.json: rope_scaling.factor is the string "8", expected a number".
//
// Reading is strict: a key that occurs twice, a number written as a string, 32.0 where a count is wanted, Infinity, or
// brackets nested without end are refused. Integers stay exact up to 64 bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kv {

class JsonValue {
 public:
  // The document in a file, or in a text that `file` names in errors. Throws FormatError.
  static JsonValue read(const std::filesystem::path& path);
  static JsonValue parse(const std::string& file, std::string_view text);

  // Fields of an object. `find` takes null for absent, as the writers of configs do; `contains` does not.
  std::optional<JsonValue> find(const std::string& key) const;
  JsonValue at(const std::string& key) const;
  bool contains(const std::string& key) const;
  std::vector<std::pair<std::string, JsonValue>> fields() const;
  // Values of an array.
  std::vector<JsonValue> elements() const;

  // Each throws FormatError with name, expected and actual when the value is anything else.
  int64_t integer(int64_t least, int64_t most) const;
  double number() const;  // finite
  bool boolean() const;
  const std::string& text() const;

  bool is_null() const;
  bool is_boolean() const;
  bool is_text() const;
  bool is_number() const;
  bool is_array() const;
  bool is_object() const;

  // The value as an error message shows it: `the string "8"`, `3.5`, `null`, `an object`.
  std::string shown() const;
  // The name inside the file, as in `rope_scaling.factor`; empty for the document.
  const std::string& name() const { return name_; }
  const std::string& file() const { return *file_; }
  // Throws FormatError "FILE: NAME WHAT".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  JsonValue(std::shared_ptr<const std::string> file, std::shared_ptr<const nlohmann::json> value, std::string name);
  JsonValue part(const nlohmann::json& value, std::string name) const;
  void demand(bool holds, const char* expected) const;

  std::shared_ptr<const std::string> file_;
  std::shared_ptr<const nlohmann::json> value_;  // keeps the whole document alive
  std::string name_;
};

}  // namespace kv
