#include "cli/prompt.h"

#include <cstdio>
#include <stdexcept>

namespace kv::cli {

std::string read_prompt(const std::string& given) {
  if (given != "-") return given;
  std::string text;
  char block[4096];
  while (const size_t count = std::fread(block, 1, sizeof block, stdin)) text.append(block, count);
  if (std::ferror(stdin)) throw std::runtime_error("standard input: cannot be read");
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace kv::cli
