#include "cli/text_table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kv::cli {

size_t columns_of(std::string_view text) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string padded_right(std::string_view text, size_t width) {
  return std::string(text) + std::string(width - std::min(width, columns_of(text)), ' ');
}

std::string padded_left(std::string_view text, size_t width) {
  return std::string(width - std::min(width, columns_of(text)), ' ') + std::string(text);
}

std::vector<std::string> TextTable::lines(size_t indent) const {
  std::vector<size_t> widths(alignment_.size());
  for (const auto& row : rows_)
    for (size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));

  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) line += "  ";
      line += alignment_[c] == 'r' ? padded_left(row[c], widths[c]) : padded_right(row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string bar(double share, size_t width) {
  constexpr std::array kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double eighths = std::clamp(share, 0.0, 1.0) * 8.0 * static_cast<double>(width);
  const auto filled = static_cast<size_t>(std::max(std::round(eighths), share > 0 ? 1.0 : 0.0));
  std::string text;
  for (size_t i = 0; i < filled / 8; ++i) text += "█";
  return text + kEighths[filled % 8];
}

}  // namespace kv::cli
