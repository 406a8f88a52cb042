// The outline of a chat template: a fingerprint that is the same for two spellings of one Jinja program, and differs
// for two programs.
//
// Comments, white space that prints nothing, the kind of quotes, and `message.role` for `message['role']` make no
// difference. One thing may differ that most ChatML templates differ in: the sentence that they put in as a system
// message where a conversation has none. White space counts as in transformers (trim_blocks and lstrip_blocks on).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kv {

struct JinjaOutline {
  uint64_t fingerprint = 0;
  std::string default_system;  // that sentence; empty: none
};

// Nothing for a text that cannot be taken apart, or is longer than any known template (64 KiB).
std::optional<JinjaOutline> outline_of_jinja(std::string_view jinja);

}  // namespace kv
