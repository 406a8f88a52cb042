// The functions that do what is looked at, as their source stood when the program was built.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv::viewer {

struct CodeExcerpt {
  std::string file;    // from the root of the repository: "cpu_reference/kv_cache.cpp"
  std::string symbol;  // "KvCache::append"
  int first_line = 0;  // in that file, from 1
  std::vector<std::string> lines;
};
const std::vector<CodeExcerpt>& all_code();
// Throws std::out_of_range for one that is not cut out (viewer/code/CMakeLists.txt has the list).
const CodeExcerpt& code_of(std::string_view symbol);

// A part of a function under one comment inside it, to the next comment or blank line.
struct CodePhase {
  std::string comment;             // "Attend."
  int line = 0;                    // of the comment, in the file
  std::vector<std::string> lines;  // below the comment, without the indentation that all of them have
  bool in_branch = false;          // stands inside an if or else
};
std::vector<CodePhase> phases_of(const CodeExcerpt& code);

}  // namespace kv::viewer
