// What a mistyped name may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv {

// The words of a list that differ from `word` in the fewest letters; none when nothing is near.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace kv
