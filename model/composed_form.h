// Unicode's normal form C: a letter and its combining marks become one character where there is one. Some tokenizers
// want their texts in it.
#pragma once

#include <string>
#include <string_view>

namespace kv {

// `text` is valid UTF-8.
std::string composed_form(std::string_view text);

}  // namespace kv
