// C++ in a narrow column: statements that take several lines in the file are joined, and broken again where a reader
// would break them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kv::viewer {

// Lines of at most `columns` characters, where the code has no longer name. A statement keeps the indentation of its
// first line, and goes on four deeper; a comment goes on as a comment. Broken between as few brackets as can be: there
// behind a comma or semicolon, else at an operator, behind a bracket, or at any blank, as far to the right as fits.
std::vector<std::string> narrow_code(const std::vector<std::string>& lines, size_t columns);

}  // namespace kv::viewer
