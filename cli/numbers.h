// Numbers as people read them, the same in every locale.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "model/counts.h"

namespace kv::cli {

// Three digits and a letter: "812", "6.59 M", "212 G".
std::string with_letter(double number);
// "850 µs", "41.3 ms", "2.07 s"
std::string duration_text(double seconds);
// {0, 1, 2, 5} -> "0-2, 5"
std::string ranges_text(const std::set<int64_t>& numbers);

}  // namespace kv::cli
