#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "model/utf8_stream.h"

namespace kv::cli {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

Terminal::Terminal(std::FILE* stream) : is_terminal_(::isatty(::fileno(stream)) == 1) {
  if (!is_terminal_) return;
  has_styles_ = environment("NO_COLOR").empty() && environment("TERM") != "dumb" && !environment("TERM").empty();
  winsize window{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    width_ = std::max(40, int{window.ws_col});
}

std::string Terminal::styled(std::string_view begin, std::string_view text) const {
  if (!has_styles_ || text.empty()) return std::string(text);
  return std::string(begin).append(text).append("\033[0m");
}

std::string without_controls(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const Utf8Piece piece = first_utf8_piece(text);
    const std::string_view character = text.substr(0, piece.bytes);
    const char32_t point = piece.kind == Utf8Piece::Kind::character ? code_point_of(character) : 0;
    const bool is_control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    if (is_control && character != "\n" && character != "\t")
      kept += "\uFFFD";
    else
      kept += character;
    text.remove_prefix(piece.bytes);
  }
  return kept;
}

}  // namespace kv::cli
