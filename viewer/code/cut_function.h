// One function cut out of a C++ source: the comment and the template line above it, and everything to its last brace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv::viewer {

struct CutFunction {
  int first_line = 0;  // in its file, from 1
  std::vector<std::string> lines;
};

// `symbol` as its definition spells it: "attend", "KvCache::append". Definitions start at the left margin, and neither
// names nor braces are written by macros, as in all of our sources. Throws std::invalid_argument unless there is
// exactly one.
CutFunction cut_function(std::string_view source, std::string_view symbol);

}  // namespace kv::viewer
