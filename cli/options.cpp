#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace kv::cli {

namespace {

// All of `text` as a number, or false.
template <class Number>
bool read_all(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int64_t parse_integer(std::string_view name, std::string_view text, IntegerRange range) {
  int64_t value = 0;
  if (!read_all(text, value) || value < range.least || value > range.most)
    throw UsageError(
        fmt::format("{}: expected a whole number from {} to {}, found \"{}\"", name, range.least, range.most, text));
  return value;
}

std::vector<int64_t> parse_integers(std::string_view name, std::string_view text, IntegerRange range) {
  std::vector<int64_t> values;
  while (true) {
    const size_t comma = text.find(',');
    values.push_back(parse_integer(name, text.substr(0, comma), range));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

size_t parse_choice(std::string_view name, std::string_view text, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end())
    throw UsageError(fmt::format("{}: expected {}, found \"{}\"", name, fmt::join(words, " or "), text));
  return static_cast<size_t>(found - words.begin());
}

std::string with_default(const std::string& help, const std::string& value) {
  return value.empty() ? help : fmt::format("{} [{}]", help, value);
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
                      const std::string& help) {
  const auto read = [&value](const std::string& text) { value = text; };
  return app.add_option_function<std::string>(name, read, with_default(help, value))->type_name(type);
}

CLI::Option* add_integer(CLI::App& app, const std::string& name, int64_t& value, IntegerRange range,
                         const std::string& help) {
  const auto read = [name, range, &value](const std::string& text) { value = parse_integer(name, text, range); };
  return app.add_option_function<std::string>(name, read, with_default(help, std::to_string(value)))->type_name("N");
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  const auto read = [name, &value](const std::string& text) {
    if (!read_all(text, value) || !std::isfinite(value))
      throw UsageError(fmt::format("{}: expected a number, found \"{}\"", name, text));
  };
  return app.add_option_function<std::string>(name, read, with_default(help, fmt::format("{}", value)))->type_name("X");
}

}  // namespace kv::cli
