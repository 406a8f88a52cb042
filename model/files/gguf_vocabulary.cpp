#include "model/files/gguf_vocabulary.h"

#include <fmt/format.h>

#include <limits>

namespace kv {

namespace {

constexpr auto kTokens = "tokenizer.ggml.tokens", kTypes = "tokenizer.ggml.token_type";

}  // namespace

const GgufValue& gguf_value_per_token(const Gguf& file, std::string_view key, int64_t tokens) {
  const GgufValue& value = file.at(key);
  if (!value.is_array()) value.fail(fmt::format("is {}, expected an array", value.shown()));
  if (value.size() != tokens)
    value.fail(
        fmt::format("has {} elements, expected one for each of the {} tokens of {}", value.size(), tokens, kTokens));
  return value;
}

GgufVocabulary read_gguf_vocabulary(const Gguf& file) {
  GgufVocabulary vocabulary;
  const GgufValue& tokens = file.at(kTokens);
  vocabulary.spellings = tokens.texts();
  if (vocabulary.size() == 0 || vocabulary.size() > std::numeric_limits<int32_t>::max())
    tokens.fail(fmt::format("has {} tokens, expected 1 to {}", vocabulary.size(), std::numeric_limits<int32_t>::max()));

  vocabulary.types.assign(vocabulary.spellings.size(), GgufTokenType::normal);
  if (file.find(kTypes) != nullptr) {
    const GgufValue& types = gguf_value_per_token(file, kTypes, vocabulary.size());
    const std::vector<int64_t> numbers = types.integers(0, static_cast<int64_t>(GgufTokenType::byte));
    for (size_t id = 0; id < numbers.size(); ++id) vocabulary.types[id] = static_cast<GgufTokenType>(numbers[id]);
  }

  vocabulary.by_text.reserve(vocabulary.spellings.size());
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (!vocabulary.spelling(id).empty()) vocabulary.by_text.try_emplace(vocabulary.spelling(id), id);
  return vocabulary;
}

std::optional<int32_t> find_gguf_token(const Gguf& file, const GgufVocabulary& vocabulary, std::string_view key) {
  const GgufValue* value = file.find(key);
  if (value == nullptr) return std::nullopt;
  const int64_t id = value->integer(0, vocabulary.size() - 1);
  if (vocabulary.spelling(id).empty()) value->fail(fmt::format("is {}, a token without a text", id));
  return static_cast<int32_t>(id);
}

}  // namespace kv
