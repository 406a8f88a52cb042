// Names and texts out of a file, fit for an error line: a file can hold any bytes, and a terminal obeys some of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kv {

// The bytes as printable UTF-8 on one line. What is no character, or one that is not seen (controls, line separators,
// directions of writing), becomes \x1b, byte by byte; " and \ become \" and \\. Cut after `most` bytes, with "...".
std::string printable(std::string_view bytes, int64_t most = 80);

}  // namespace kv
