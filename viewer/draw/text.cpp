#include "viewer/draw/text.h"

#include <fmt/format.h>

#include "model/utf8_stream.h"

namespace kv::viewer {

namespace {

constexpr std::string_view kDots = "...";

bool is_control(std::string_view character) {
  const char32_t code = code_point_of(character);
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

// The longest beginning of whole characters that is at most `width` wide. By halving, since width grows with length.
size_t fitting(std::string_view text, Font font, float width, const TextMeasure& measure) {
  std::vector<size_t> ends = {0};
  for (size_t at = 0; at < text.size();) ends.push_back(at += first_utf8_piece(text.substr(at)).bytes);
  size_t fits = 0, too_long = ends.size();
  while (too_long - fits > 1) {
    const size_t middle = (fits + too_long) / 2;
    (measure.width(font, text.substr(0, ends[middle])) <= width ? fits : too_long) = middle;
  }
  return ends[fits];
}

}  // namespace

std::string in_hexadecimal(std::string_view bytes) {
  std::string text = "<";
  for (const char byte : bytes)
    text += fmt::format("{}{:02X}", text.size() > 1 ? " " : "", static_cast<unsigned char>(byte));
  return text + ">";
}

std::string shown(std::string_view bytes, const TextMeasure& measure) {
  std::string text, odd;  // odd: bytes that come out in hexadecimal, together
  const auto write_odd = [&] {
    if (!odd.empty()) text += in_hexadecimal(odd);
    odd.clear();
  };
  while (!bytes.empty()) {
    const Utf8Piece piece = first_utf8_piece(bytes);
    const std::string_view character = bytes.substr(0, piece.bytes);
    bytes.remove_prefix(piece.bytes);
    const bool whole = piece.kind == Utf8Piece::Kind::character;
    if (character == "\n" || character == "\t" || character == "\r") {
      write_odd();
      text += character == "\n" ? "\\n" : character == "\t" ? "\\t" : "\\r";
    } else if (!whole || is_control(character) || !measure.can_draw(character)) {
      odd += character;
    } else {
      write_odd();
      text += character;
    }
  }
  write_odd();
  return text;
}

std::string shortened(std::string_view text, Font font, float width, const TextMeasure& measure) {
  if (measure.width(font, text) <= width) return std::string(text);
  const float dots = measure.width(font, kDots);
  if (dots > width) return "";
  return std::string(text.substr(0, fitting(text, font, width - dots, measure))) + std::string(kDots);
}

std::vector<std::string> wrapped(std::string_view text, Font font, float width, const TextMeasure& measure) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    lines.push_back(line);
    line.clear();
  };
  while (!text.empty()) {
    const size_t blank = text.find(' ');
    std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (measure.width(font, longer) <= width) {
      line = longer;
      continue;
    }
    if (!line.empty()) end_line();
    while (measure.width(font, word) > width) {
      const size_t cut = std::max(fitting(word, font, width, measure), first_utf8_piece(word).bytes);
      lines.emplace_back(word.substr(0, cut));
      word.remove_prefix(cut);
      if (word.empty()) break;
    }
    line = word;
  }
  if (!line.empty()) end_line();
  return lines;
}

}  // namespace kv::viewer
