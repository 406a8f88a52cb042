// Counts as people read them, the same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kv {

// 1234567 -> "1,234,567"
std::string with_commas(int64_t number);
// "1 token", "1,024 tokens"
std::string count_of(int64_t count, std::string_view noun);

}  // namespace kv
