// AddedTokens: the tokens that no merge makes, such as <|im_end|>. A text is searched for theirs before anything else
// happens to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kv {

class AddedTokens {
 public:
  struct Token {
    int32_t id;
    std::string text;
    bool special;
  };
  struct Found {
    int32_t id;
    size_t bytes;  // of its text; 0: none is here
  };

  // Looking at every place of a text must stay cheap whatever the file says.
  static constexpr size_t kMostBytes = 256;

  AddedTokens() = default;
  // Throws std::invalid_argument for a text that is empty or longer than kMostBytes.
  explicit AddedTokens(std::vector<Token> tokens);

  // The longest one that the text begins with, special ones only if `specials`. Of two with one text the first counts.
  Found longest_at(std::string_view text, bool specials) const;

 private:
  std::vector<Token> tokens_;                                      // ordered by text
  std::array<std::pair<size_t, size_t>, 256> by_first_byte_ = {};  // stretches of it
};

}  // namespace kv
