#include "viewer/code/narrow_code.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kv::viewer {

namespace {

constexpr size_t kHanging = 4, kBlock = 2;
constexpr size_t kLeast = 7;  // characters: "const" or "return" stands alone on no line where that can be helped

size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool is_one_of(char c, std::string_view of) { return of.find(c) != std::string_view::npos; }
bool is_comment(std::string_view line) { return line.substr(indentation(line)).starts_with("// "); }

// --- Statements ---

// A comment of several lines is one, and so is what clang-format has broken: that stands deeper than a block would.
bool continues(std::string_view line, std::string_view next) {
  const size_t at = indentation(line), below = indentation(next);
  if (is_comment(line)) return is_comment(next) && below == at;
  const bool ends = line.find("//") != std::string_view::npos || next.empty();
  return !ends && below > at + kBlock;
}

std::vector<std::string> statements_of(const std::vector<std::string>& lines) {
  std::vector<std::string> statements;
  for (const std::string& line : lines) {
    if (statements.empty() || !continues(statements.back(), line)) {
      statements.push_back(line);
    } else {
      const size_t text = indentation(line) + (is_comment(line) ? 3 : 0);
      const bool opened = is_one_of(statements.back().back(), "([{");
      statements.back() += (opened ? "" : " ") + line.substr(text);
    }
  }
  return statements;
}

// --- Lines ---

// Where a line may end. What compares less is better.
struct Break {
  int depth = 0;  // brackets that are open there
  enum class At { list, operation, bracket, blank } at = At::blank;
  size_t end = 0;  // characters on the line
  auto rank() const { return std::pair(depth, at); }
};
constexpr int kWithinAName = 100;  // worse than any bracket

std::vector<Break> breaks_of_comment(std::string_view text) {
  std::vector<Break> breaks;
  for (size_t i = indentation(text) + 3; i < text.size(); ++i)
    if (text[i] == ' ') breaks.push_back({.end = i});
  return breaks;
}

std::vector<Break> breaks_of_code(std::string_view text) {
  std::vector<Break> breaks;
  int depth = 0;
  char quote = 0;
  for (size_t i = indentation(text); i + 1 < text.size(); ++i) {
    const char c = text[i], before = i == 0 ? ' ' : text[i - 1], behind = text[i + 1];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (is_one_of(c, "([{")) {
      ++depth;
      if (!is_one_of(behind, ")]}")) breaks.push_back({depth, Break::At::bracket, i + 1});
    } else if (is_one_of(c, ")]}")) {
      --depth;
    } else if (c == ' ' && before != ' ') {
      const Break::At at = is_one_of(before, ",;")         ? Break::At::list
                           : is_one_of(before, "=?:+-*/|") ? Break::At::operation
                                                           : Break::At::blank;
      if (at != Break::At::blank || behind != '(') breaks.push_back({depth, at, i});  // no "if" alone
    } else if (c == '<' || (c == ':' && before == ':')) {
      breaks.push_back({depth + kWithinAName, Break::At::blank, i + 1});
    }
  }
  return breaks;
}

// Of a text that is too long for its line: how many characters stay on it.
size_t end_of_line(std::string_view text, size_t columns) {
  const std::vector<Break> breaks = is_comment(text) ? breaks_of_comment(text) : breaks_of_code(text);
  for (const size_t least : {indentation(text) + kLeast, size_t{1}}) {
    const Break* best = nullptr;
    for (const Break& at : breaks)
      if (at.end >= least && at.end <= columns && (best == nullptr || at.rank() <= best->rank())) best = &at;
    if (best != nullptr) return best->end;
  }
  return std::string_view::npos;
}

void write_statement(std::string rest, size_t columns, std::vector<std::string>& lines) {
  const size_t hanging = indentation(rest) + kHanging;
  for (bool first = true; rest.size() > columns; first = false) {
    const size_t end = end_of_line(rest, columns);
    if (end == std::string_view::npos) {  // a long name: less far to the right, as far as that helps
      if (!first) rest.erase(0, std::min(indentation(rest), rest.size() - columns));
      break;
    }
    const std::string before = is_comment(rest) ? rest.substr(0, indentation(rest) + 3) : std::string(hanging, ' ');
    const std::string behind = rest.substr(std::min(rest.find_first_not_of(' ', end), rest.size()));
    lines.push_back(rest.substr(0, end));
    rest = before + behind;
  }
  lines.push_back(std::move(rest));
}

}  // namespace

std::vector<std::string> narrow_code(const std::vector<std::string>& lines, size_t columns) {
  std::vector<std::string> narrow;
  for (const std::string& statement : statements_of(lines)) write_statement(statement, columns, narrow);
  return narrow;
}

}  // namespace kv::viewer
