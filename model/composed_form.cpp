#include "model/composed_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "model/utf8_stream.h"

namespace kv {

namespace {

constexpr auto kForm = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

bool is_mark(utf8proc_int32_t point) { return utf8proc_get_property(point)->combining_class != 0; }
bool comes_before(utf8proc_int32_t a, utf8proc_int32_t b) {
  return utf8proc_get_property(a)->combining_class < utf8proc_get_property(b)->combining_class;
}

// Every character in its parts, as one letter and its marks.
std::vector<utf8proc_int32_t> taken_apart(std::string_view text) {
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size() + 1);
  while (!text.empty()) {
    const size_t bytes = first_utf8_piece(text).bytes;
    const auto point = static_cast<utf8proc_int32_t>(code_point_of(text.substr(0, bytes)));
    utf8proc_int32_t parts[8];  // the longest canonical decomposition has 4
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(point, parts, 8, kForm, &boundary);
    if (count < 0 || count > 8) throw std::logic_error("a character with more parts than Unicode has");
    points.insert(points.end(), parts, parts + count);
    text.remove_prefix(bytes);
  }
  return points;
}

}  // namespace

std::string composed_form(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::string(text);
  std::vector<utf8proc_int32_t> points = taken_apart(text);

  // Put the marks of each letter into their order. (utf8proc_map does that too, in quadratic time: a letter with
  // 100,000 marks takes it a minute.)
  for (auto from = points.begin(); (from = std::find_if(from, points.end(), is_mark)) != points.end();) {
    const auto to = std::find_if_not(from, points.end(), is_mark);
    std::stable_sort(from, to, comes_before);
    from = to;
  }

  // Composing and encoding happen in place; behind the text comes a zero.
  const auto count = static_cast<utf8proc_ssize_t>(points.size());
  points.push_back(0);
  const utf8proc_ssize_t bytes = utf8proc_reencode(points.data(), count, kForm);
  if (bytes < 0) throw std::logic_error(utf8proc_errmsg(bytes));
  return {reinterpret_cast<const char*>(points.data()), static_cast<size_t>(bytes)};
}

}  // namespace kv
