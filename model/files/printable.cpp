#include "model/files/printable.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include "model/utf8_stream.h"

namespace kv {

namespace {

// `character` is valid UTF-8.
bool is_seen(std::string_view character) {
  utf8proc_int32_t point = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                   static_cast<utf8proc_ssize_t>(character.size()), &point);
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return false;
    default: return true;
  }
}

}  // namespace

std::string printable(std::string_view bytes, int64_t most) {
  std::string line;
  while (!bytes.empty()) {
    const Utf8Piece piece = first_utf8_piece(bytes);
    const std::string_view text = bytes.substr(0, static_cast<size_t>(piece.bytes));
    std::string shown;
    if (text == "\"" || text == "\\") {
      shown = '\\' + std::string(text);
    } else if (piece.kind == Utf8Piece::Kind::character && is_seen(text)) {
      shown = text;
    } else {
      for (const char byte : text) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    if (std::ssize(line) + std::ssize(shown) > most) return line + "...";
    line += shown;
    bytes.remove_prefix(text.size());
  }
  return line;
}

}  // namespace kv
