// The errors that this library throws of its own; wrong arguments are std::invalid_argument.
#pragma once

#include <stdexcept>
#include <string>

namespace kv {

// A file does not hold what it should. The message reads "FILE: what is wrong, where, expected and actual".
struct FormatError : std::runtime_error {
  FormatError(const std::string& file, const std::string& what) : std::runtime_error(file + ": " + what) {}
};

// The cache has no room for the tokens of a call. Nothing was written; the cache works on as before.
struct CacheFull : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace kv
