#include "model/prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

namespace kv {

std::vector<int32_t> parse_token_ids(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\r\n";
  std::vector<int32_t> ids;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty()) return ids;
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    int32_t id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size())
      throw std::runtime_error(
          fmt::format("the prompt holds \"{}\", which is not a token id: they are a list such as 0,17,4", word));
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
}

std::string token_ids_text(std::span<const int32_t> ids) { return fmt::format("{}", fmt::join(ids, " ")); }

std::vector<int32_t> ids_without_token(const Tokenizer& tokenizer, int64_t vocab) {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < vocab; ++id)
    if (!tokenizer.has_token(id)) ids.push_back(id);
  return ids;
}

const Tokenizer& tokenizer_of(const LoadedModel& model) {
  if (!model.tokenizer)
    throw std::runtime_error(fmt::format("{}: there is no tokenizer for a text ({}); give token ids with --raw-ids",
                                         model.config.name, model.no_tokenizer));
  return *model.tokenizer;
}

std::vector<int32_t> tokens_of_prompt(const LoadedModel& model, std::string_view text, Specials specials) {
  const Tokenizer& tokenizer = tokenizer_of(model);
  std::vector<int32_t> tokens = tokenizer.with_begin(tokenizer.encode(text, specials));
  // The tokenizer alone decides whether a text gets a begin token; but where there is no text, it is all there can be.
  const auto begin = static_cast<int32_t>(model.config.begin_token.value_or(-1));
  if (tokens.empty() && tokenizer.has_token(begin)) tokens = {begin};
  if (tokens.empty())
    throw std::runtime_error(fmt::format(
        "the prompt is empty, and {} has no begin token to start from: give a --prompt", model.config.name));
  return tokens;
}

}  // namespace kv
