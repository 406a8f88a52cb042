// Terminal: whether a person watches, how wide the window is, and the two styles that we use there.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kv::cli {

class Terminal {
 public:
  // No styles unless `stream` is a terminal that has them and NO_COLOR (no-color.org) is unset.
  explicit Terminal(std::FILE* stream);

  bool is_terminal() const { return is_terminal_; }
  // Columns of the window, or 80.
  int width() const { return width_; }

  std::string bold(std::string_view text) const { return styled("\033[1m", text); }
  std::string faint(std::string_view text) const { return styled("\033[2m", text); }

 private:
  std::string styled(std::string_view begin, std::string_view text) const;

  bool is_terminal_ = false;
  bool has_styles_ = false;
  int width_ = 80;
};

// `text` without what would move the cursor or worse: control characters other than line feed and tab become U+FFFD.
// A model may generate anything.
std::string without_controls(std::string_view text);

// The same on one line, for names and texts out of a file: line feeds, tabs, line separators and marks that turn the
// direction of writing become U+FFFD as well. A file may hold anything, and should not write our page.
std::string on_one_line(std::string_view text);

}  // namespace kv::cli
