#include "cli/numbers.h"

#include <fmt/format.h>

#include <iterator>

namespace kv::cli {

namespace {

std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

std::string with_letter(double number) {
  if (number >= 0.9995e12) return three_digits(number / 1e12) + " T";
  if (number >= 0.9995e9) return three_digits(number / 1e9) + " G";
  if (number >= 0.9995e6) return three_digits(number / 1e6) + " M";
  if (number >= 0.9995e3) return three_digits(number / 1e3) + " k";
  return fmt::format("{:.0f}", number);
}

std::string duration_text(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds * 1e6) + " µs";
}

std::string ranges_text(const std::set<int64_t>& numbers) {
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *first);
    if (last != first) text += fmt::format("-{}", *last);
    first = std::next(last);
  }
  return text;
}

}  // namespace kv::cli
