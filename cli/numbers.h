// Numbers as people read them, the same in every locale.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace kv::cli {

// 1234567 -> "1,234,567"
std::string with_commas(int64_t number);
// Three digits and a letter: "812", "6.59 M", "212 G".
std::string with_letter(double number);
// "850 µs", "41.3 ms", "2.07 s"
std::string duration_text(double seconds);
// {0, 1, 2, 5} -> "0-2, 5"
std::string ranges_text(const std::set<int64_t>& numbers);
// "1 token", "2 tokens"
std::string count_of(int64_t count, const std::string& noun);

}  // namespace kv::cli
