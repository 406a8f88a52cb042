// Prompts as token ids: from a text or a list of ids, and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/files/load_model.h"

namespace kv {

// Ids separated by commas or blanks. Throws std::runtime_error that names the word that is none.
std::vector<int32_t> parse_token_ids(std::string_view text);

// "0 17 4"
std::string token_ids_text(std::span<const int32_t> ids);

// Ids below `vocab` that have no text.
std::vector<int32_t> ids_without_token(const Tokenizer& tokenizer, int64_t vocab);

// The model's tokenizer. Throws std::runtime_error that says why there is none, and what to do.
const Tokenizer& tokenizer_of(const LoadedModel& model);

// The tokens of a text, behind a begin token where the tokenizer wants one (never two of them); of no text, the model's
// begin token alone. Throws std::runtime_error without a tokenizer, and when there is nothing at all to start from.
std::vector<int32_t> tokens_of_prompt(const LoadedModel& model, std::string_view text, Specials specials);

}  // namespace kv
