// TextTable: rows of words in columns, each as wide as its widest, numbers to the right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv::cli {

// Columns that a text takes on a terminal: its characters, since all of ours are one column wide.
size_t columns_of(std::string_view text);
std::string padded_right(std::string_view text, size_t width);
std::string padded_left(std::string_view text, size_t width);

class TextTable {
 public:
  // One letter a column: 'l' to the left, 'r' to the right.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}

  // As many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Lines without a line feed, each `indent` blanks in, columns two blanks apart, no blanks at the end.
  std::vector<std::string> lines(size_t indent = 2) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// A bar of `share` (0 to 1) of `width` characters, in eighths; something can be seen of any share above 0.
std::string bar(double share, size_t width);

}  // namespace kv::cli
