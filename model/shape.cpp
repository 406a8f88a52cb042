#include "model/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace kv {

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void expect_shape(std::string_view tensor, const Shape& actual, const Shape& expected) {
  if (actual == expected) return;
  std::string where = fmt::format("{} dimensions instead of {}", actual.size(), expected.size());
  if (actual.size() == expected.size()) {
    size_t d = 0;
    while (actual[d] == expected[d]) ++d;
    where = fmt::format("dimension {} is {} instead of {}", d, actual[d], expected[d]);
  }
  throw std::invalid_argument(
      fmt::format("{}: expected {}, got {}: {}", tensor, to_string(expected), to_string(actual), where));
}

}  // namespace kv
