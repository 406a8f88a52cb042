#include "model/files/json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "model/error.h"
#include "model/files/mapped_file.h"
#include "model/files/printable.h"

namespace kv {

namespace {

// Real files need about 6.
constexpr int kMaxDepth = 64;
constexpr int64_t kMostNameBytes = 200;  // shown of a name with its dots

std::string shown_name(const std::string& name) { return printable(name, kMostNameBytes); }

// Watches the parser: remembers the keys of every open object, and counts how many are open.
class StrictObserver {
 public:
  // `last_key` outlives the observer: it tells where the parser stopped.
  StrictObserver(const std::string& file, std::string& last_key) : file_(file), last_key_(last_key) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kMaxDepth) throw FormatError(file_, fmt::format("brackets are nested more than {} deep", kMaxDepth));
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      last_key_ = key;
      if (!keys_.back().insert(key).second)
        throw FormatError(file_, fmt::format("the key \"{}\" occurs twice", printable(key)));
    }
    return true;
  }

 private:
  const std::string& file_;
  std::string& last_key_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

JsonValue::JsonValue(std::shared_ptr<const std::string> file, std::shared_ptr<const nlohmann::json> value,
                     std::string name)
    : file_(std::move(file)), value_(std::move(value)), name_(std::move(name)) {}

JsonValue JsonValue::read(const std::filesystem::path& path) {
  return parse(path.string(), MappedFile::open(path)->text());
}

JsonValue JsonValue::parse(const std::string& file, std::string_view text) {
  std::string last_key;
  try {
    auto document = std::make_shared<const nlohmann::json>(nlohmann::json::parse(text, StrictObserver(file, last_key)));
    return {std::make_shared<const std::string>(file), std::move(document), ""};
  } catch (const nlohmann::json::parse_error& error) {
    if (error.byte > text.size())
      throw FormatError(file, fmt::format("is not valid JSON: it ends early, after {} bytes", text.size()));
    throw FormatError(file, fmt::format("is not valid JSON at byte {} of {}", error.byte, text.size()));
  } catch (const nlohmann::json::exception&) {  // the parser's only other complaint
    throw FormatError(file, fmt::format("{} holds a number that is too large",
                                        last_key.empty() ? "the document" : printable(last_key)));
  }
}

JsonValue JsonValue::part(const nlohmann::json& value, std::string name) const {
  return {file_, std::shared_ptr<const nlohmann::json>(value_, &value), std::move(name)};
}

std::optional<JsonValue> JsonValue::find(const std::string& key) const {
  demand(is_object(), "an object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return part(*found, name_.empty() ? key : name_ + "." + key);
}

JsonValue JsonValue::at(const std::string& key) const {
  if (std::optional<JsonValue> found = find(key)) return *found;
  const std::string full_name = name_.empty() ? key : name_ + "." + key;
  throw FormatError(*file_, shown_name(full_name) + (contains(key) ? " is null" : " is missing"));
}

bool JsonValue::contains(const std::string& key) const {
  demand(is_object(), "an object");
  return value_->contains(key);
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::fields() const {
  demand(is_object(), "an object");
  std::vector<std::pair<std::string, JsonValue>> list;
  for (const auto& [key, value] : value_->items())
    list.emplace_back(key, part(value, name_.empty() ? key : name_ + "." + key));
  return list;
}

std::vector<JsonValue> JsonValue::elements() const {
  demand(is_array(), "an array");
  std::vector<JsonValue> list;
  for (const nlohmann::json& value : *value_) list.push_back(part(value, fmt::format("{}[{}]", name_, list.size())));
  return list;
}

int64_t JsonValue::integer(int64_t least, int64_t most) const {
  demand(value_->is_number_integer(), "an integer");
  const bool beyond_int64 = value_->is_number_unsigned() &&
                            value_->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (beyond_int64 || value_->get<int64_t>() < least || value_->get<int64_t>() > most)
    fail(fmt::format("is {}, expected {} to {}", value_->dump(), least, most));
  return value_->get<int64_t>();
}

double JsonValue::number() const {
  demand(value_->is_number() && std::isfinite(value_->get<double>()), "a number");
  return value_->get<double>();
}

bool JsonValue::boolean() const {
  demand(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

const std::string& JsonValue::text() const {
  demand(value_->is_string(), "a string");
  return value_->get_ref<const std::string&>();
}

bool JsonValue::is_null() const { return value_->is_null(); }
bool JsonValue::is_boolean() const { return value_->is_boolean(); }
bool JsonValue::is_text() const { return value_->is_string(); }
bool JsonValue::is_number() const { return value_->is_number(); }
bool JsonValue::is_array() const { return value_->is_array(); }
bool JsonValue::is_object() const { return value_->is_object(); }

std::string JsonValue::shown() const {
  if (is_object()) return "an object";
  if (is_array()) return "an array";
  std::string value = value_->dump(-1, ' ', true);  // ASCII, so that cutting it splits no character
  if (value.size() > 80) value = value.substr(0, 77) + "...";
  return is_text() ? "the string " + value : value;
}

void JsonValue::fail(const std::string& what) const {
  throw FormatError(*file_, name_.empty() ? what : shown_name(name_) + " " + what);
}

void JsonValue::demand(bool holds, const char* expected) const {
  if (!holds) fail(fmt::format("is {}, expected {}", shown(), expected));
}

}  // namespace kv
