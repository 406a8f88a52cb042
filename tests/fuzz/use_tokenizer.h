// What a run does with a tokenizer, whatever file it came from.
#pragma once

#include "model/tokenizer.h"

namespace kv::fuzz {

// Throws what the tokenizer throws, beside refusals of texts, which are allowed.
void use_tokenizer(const Tokenizer& tokenizer);

}  // namespace kv::fuzz
