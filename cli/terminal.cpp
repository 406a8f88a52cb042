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

namespace {

// Of a byte that is no character: 0, a control as well.
bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point < 0xA0); }

// Line separators, and marks that turn the direction of writing.
bool moves_text(char32_t point) {
  return point == 0x061C || point == 0x200E || point == 0x200F || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

template <class Forbidden>
std::string without(std::string_view text, const Forbidden& forbidden) {
  std::string kept;
  while (!text.empty()) {
    const Utf8Piece piece = first_utf8_piece(text);
    const std::string_view character = text.substr(0, piece.bytes);
    const char32_t point = piece.kind == Utf8Piece::Kind::character ? code_point_of(character) : 0;
    kept += forbidden(point) ? "\uFFFD" : character;
    text.remove_prefix(piece.bytes);
  }
  return kept;
}

}  // namespace

std::string without_controls(std::string_view text) {
  return without(text, [](char32_t point) { return is_control(point) && point != U'\n' && point != U'\t'; });
}

std::string on_one_line(std::string_view text) {
  return without(text, [](char32_t point) { return is_control(point) || moves_text(point); });
}

}  // namespace kv::cli
