// kvlab_cut_code ROOT OUTPUT.cpp FILE:SYMBOL...
//
// Writes a source file with the text of each function, for viewer/code/code.h. Runs while the program is built.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "viewer/code/cut_function.h"

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string excerpt(const std::string& root, const std::string& file, const std::string& symbol) {
  const kv::viewer::CutFunction cut = kv::viewer::cut_function(text_of(root + "/" + file), symbol);
  std::string out = fmt::format("    {{{}, {}, {}, {{\n", quoted(file), quoted(symbol), cut.first_line);
  for (const std::string& line : cut.lines) out += "        " + quoted(line) + ",\n";
  return out + "    }},\n";
}

}  // namespace

int main(int count, char** arguments) {
  std::string excerpts;
  for (int i = 3; i < count; ++i) {
    const std::string asked = arguments[i];
    const size_t colon = asked.find(':');
    try {
      excerpts += excerpt(arguments[1], asked.substr(0, colon), asked.substr(colon + 1));
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", asked, error.what());
      return 1;
    }
  }
  std::ofstream out(arguments[2], std::ios::binary);
  out << "// Cut out of the sources by kvlab_cut_code.\n#include \"viewer/code/code.h\"\n\nnamespace kv::viewer {\n\n"
      << "const std::vector<CodeExcerpt>& all_code() {\n  static const std::vector<CodeExcerpt> code = {\n"
      << excerpts << "  };\n  return code;\n}\n\n}  // namespace kv::viewer\n";
  return out.flush() ? 0 : 1;
}
