// Option values, read strictly: all of the text must be the number, in decimal and in range, or one of the choices.
//
// CLI11's own conversions take "010" for eight, cut what does not fit, and let infinity and nan pass.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kv::cli {

// The command line is wrong: exit status 2, where everything else is 1.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct IntegerRange {
  int64_t least, most;
};

// Both throw UsageError "NAME: what was expected, what was found". Integers of a list are separated by commas.
int64_t parse_integer(std::string_view name, std::string_view text, IntegerRange range);
std::vector<int64_t> parse_integers(std::string_view name, std::string_view text, IntegerRange range);

// Options whose default is the value they find. Help shows it in brackets; CLI11 itself has changed how it shows one.
CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
                      const std::string& help);
CLI::Option* add_integer(CLI::App& app, const std::string& name, int64_t& value, IntegerRange range,
                         const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& help);

// "how many [64]"
std::string with_default(const std::string& help, const std::string& value);

// The index of `text` among the words; throws UsageError that lists them.
size_t parse_choice(std::string_view name, std::string_view text, const std::vector<std::string>& words);

// One of a few words, each of which stands for a value: --cache on|off.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices, const std::string& help) {
  std::vector<std::string> words;
  std::string type, initial;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    type += (type.empty() ? "" : "|") + word;
    if (meaning == value) initial = word;
  }
  const auto read = [name, words, choices, &value](const std::string& text) {
    value = choices[parse_choice(name, text, words)].second;
  };
  return app.add_option_function<std::string>(name, read, with_default(help, initial))->type_name(type);
}

}  // namespace kv::cli
