#include "viewer/code/cut_function.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <stdexcept>

namespace kv::viewer {

namespace {

std::vector<std::string> lines_of(std::string_view source) {
  std::vector<std::string> lines;
  while (!source.empty()) {
    const size_t end = source.find('\n');
    lines.emplace_back(source.substr(0, end));
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
  }
  return lines;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; }

// Does the line, from its left margin, name the symbol as a function?
bool names(std::string_view line, std::string_view symbol) {
  if (line.empty() || line[0] == ' ' || line.starts_with("//")) return false;
  const size_t at = line.find(std::string(symbol) + "(");
  return at != std::string_view::npos && (at == 0 || !is_part_of_name(line[at - 1]));
}

// Counts braces outside comments, texts and characters.
class Braces {
 public:
  void read(std::string_view line) {
    char quote = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote != 0) {
        if (c == '\\') ++i;
        if (c == quote) quote = 0;
      } else if (c == '"' || (c == '\'' && (i == 0 || !is_part_of_name(line[i - 1])))) {  // not the one in 100'000
        quote = c;
      } else if (line.substr(i).starts_with("//")) {
        return;
      } else {
        count(c);
      }
    }
  }
  // A declaration ended before any brace was opened.
  bool is_declaration() const { return declaration_; }
  bool closed() const { return opened_ && depth_ == 0; }

 private:
  void count(char c) {
    if (c == '{') {
      ++depth_;
      opened_ = true;
    }
    if (c == '}') --depth_;
    if (c == ';' && !opened_) declaration_ = true;
  }
  int depth_ = 0;
  bool opened_ = false, declaration_ = false;
};

// One behind the last line of a definition that begins at `first`; nothing when it is a declaration.
std::optional<size_t> end_of_definition(const std::vector<std::string>& lines, size_t first) {
  Braces braces;
  for (size_t i = first; i < lines.size(); ++i) {
    braces.read(lines[i]);
    if (braces.is_declaration()) return std::nullopt;
    if (braces.closed()) return i + 1;
  }
  return std::nullopt;
}

}  // namespace

CutFunction cut_function(std::string_view source, std::string_view symbol) {
  const std::vector<std::string> lines = lines_of(source);
  std::optional<CutFunction> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!names(lines[i], symbol)) continue;
    const std::optional<size_t> end = end_of_definition(lines, i);
    if (!end) continue;
    if (found) throw std::invalid_argument(fmt::format("{} is defined twice", symbol));
    size_t begin = i;
    while (begin > 0 && (lines[begin - 1].starts_with("//") || lines[begin - 1].starts_with("template <"))) --begin;
    found = CutFunction{
        static_cast<int>(begin) + 1,
        {lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(*end)}};
  }
  if (!found) throw std::invalid_argument(fmt::format("{} is not defined", symbol));
  return *found;
}

}  // namespace kv::viewer
