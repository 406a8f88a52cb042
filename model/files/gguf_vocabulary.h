// The vocabulary in the metadata of a GGUF file: how each token is spelt and of which type it is. What the spelling
// means depends on the kind of tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/files/gguf.h"

namespace kv {

// The numbers of tokenizer.ggml.token_type.
enum class GgufTokenType { undefined, normal, unknown, control, user_defined, unused, byte };

struct GgufVocabulary {
  std::vector<std::string_view> spellings;                // [ids], in the mapped file
  std::vector<GgufTokenType> types;                       // [ids]
  std::unordered_map<std::string_view, int32_t> by_text;  // of several with one spelling the first; "" is not there

  int64_t size() const { return std::ssize(spellings); }
  std::string_view spelling(int64_t id) const { return spellings[static_cast<size_t>(id)]; }
  GgufTokenType type(int64_t id) const { return types[static_cast<size_t>(id)]; }
};

// Tokens without a type are normal ones, as far as the file has no types at all. Throws FormatError that names the key.
GgufVocabulary read_gguf_vocabulary(const Gguf& file);

// The token that a key such as tokenizer.ggml.bos_token_id names; nothing when the file has no such key. Throws
// FormatError when it names none.
std::optional<int32_t> find_gguf_token(const Gguf& file, const GgufVocabulary& vocabulary, std::string_view key);

// The array of a key, which has one element for each token. Throws FormatError.
const GgufValue& gguf_value_per_token(const Gguf& file, std::string_view key, int64_t tokens);

}  // namespace kv
