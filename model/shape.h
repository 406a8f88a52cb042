// Shape and expect_shape(): a wrong shape is found where it enters, and the message names tensor, shapes and dimension.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kv {

using Shape = std::vector<int64_t>;

// "[2, 3, 4]"
std::string to_string(const Shape& shape);

// Throws std::invalid_argument unless the shapes are equal.
void expect_shape(std::string_view tensor, const Shape& actual, const Shape& expected);

}  // namespace kv
