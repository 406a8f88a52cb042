// What --prompt says, as a text; model/prompt.h makes token ids of it.
#pragma once

#include <string>

namespace kv::cli {

// The text itself, or with "-" all of stdin but one line feed at its end, which the shell's echo and editors put there.
std::string read_prompt(const std::string& given);

}  // namespace kv::cli
