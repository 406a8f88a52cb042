#include "model/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace kv {

AddedTokens::AddedTokens(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
  for (const Token& token : tokens_)
    if (token.text.empty() || token.text.size() > kMostBytes)
      throw std::invalid_argument(
          fmt::format("added token {} has {} bytes, expected 1 to {}", token.id, token.text.size(), kMostBytes));
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const Token& a, const Token& b) { return a.text < b.text; });
  for (size_t i = 0; i < tokens_.size(); ++i) {
    auto& [begin, end] = by_first_byte_[static_cast<unsigned char>(tokens_[i].text.front())];
    if (begin == end) begin = i;
    end = i + 1;
  }
}

// Tokens that begin alike stand together, the shorter first: each further byte of the text narrows their stretch.
AddedTokens::Found AddedTokens::longest_at(std::string_view text, bool specials) const {
  Found longest = {-1, 0};
  if (text.empty()) return longest;
  const auto first = by_first_byte_[static_cast<unsigned char>(text.front())];
  auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(first.first);
  auto end = tokens_.begin() + static_cast<std::ptrdiff_t>(first.second);
  for (size_t length = 1; begin != end; ++length) {
    for (; begin != end && begin->text.size() == length; ++begin)
      if (longest.bytes < length && (specials || !begin->special)) longest = {begin->id, length};
    if (length == text.size()) break;
    const auto wanted = static_cast<unsigned char>(text[length]);
    const auto byte_of = [&](const Token& token) { return static_cast<unsigned char>(token.text[length]); };
    begin = std::partition_point(begin, end, [&](const Token& token) { return byte_of(token) < wanted; });
    end = std::partition_point(begin, end, [&](const Token& token) { return byte_of(token) == wanted; });
  }
  return longest;
}

}  // namespace kv
