#include "viewer/code/code.h"

#include <algorithm>
#include <stdexcept>

namespace kv::viewer {

namespace {

constexpr size_t kBody = 2;  // a function's own lines are indented by so much; deeper ones stand in a branch

size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

}  // namespace

const CodeExcerpt& code_of(std::string_view symbol) {
  for (const CodeExcerpt& code : all_code())
    if (code.symbol == symbol) return code;
  throw std::out_of_range("the code of " + std::string(symbol) + " is not cut out");
}

std::vector<CodePhase> phases_of(const CodeExcerpt& code) {
  std::vector<CodePhase> phases;
  size_t indent = 0;
  bool open = false;
  for (size_t i = 0; i < code.lines.size(); ++i) {
    const std::string& line = code.lines[i];
    const size_t in = indentation(line);
    if (in >= kBody && line.compare(in, 3, "// ") == 0) {
      phases.push_back({line.substr(in + 3), code.first_line + static_cast<int>(i), {}, in > kBody});
      indent = in;
      open = true;
    } else if (line.empty() || in < indent) {
      open = false;
    } else if (open) {
      phases.back().lines.push_back(line.substr(indent));
    }
  }
  return phases;
}

}  // namespace kv::viewer
