#include "tests/fuzz/use_tokenizer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/fuzz/targets.h"

namespace kv::fuzz {

namespace {

// Special tokens, numbers, contractions, spaces in runs, and characters of two, three and four bytes.
constexpr std::string_view kText =
    "<|im_start|>Hi, don't <s>42  caf\xc3\xa9\r\n\n \xe2\x82\xac\xf0\x9f\x98\x80 e\xcc\x81</s>";
constexpr int32_t kMostTokens = 64;

void use_text(const Tokenizer& tokenizer, std::string_view text) {
  for (const Specials specials : {Specials::parse, Specials::ignore})
    allow_refusal([&] {
      const std::vector<int32_t> ids = tokenizer.with_begin(tokenizer.encode(text, specials));
      for (const int32_t id : ids)
        if (!tokenizer.has_token(id)) throw std::logic_error("encode gave a token that there is not");
      tokenizer.decode(ids);
    });
}

}  // namespace

void use_tokenizer(const Tokenizer& tokenizer) {
  use_text(tokenizer, "");
  use_text(tokenizer, kText);

  // The first tokens, the last, and ids around them that no token has; their text is encoded again.
  const auto size = static_cast<int32_t>(tokenizer.size());
  std::vector<int32_t> ids = {-1, size, size - 1};
  for (int32_t id = 0; id < std::min(size, kMostTokens); ++id) ids.push_back(id);
  for (const int32_t id : ids) {
    demand_one_line(tokenizer.token_label(id));
    tokenizer.is_special(id);
  }
  for (const int32_t id : tokenizer.special_tokens()) demand_one_line(tokenizer.token_label(id));
  use_text(tokenizer, tokenizer.decode(ids).substr(0, 256));
}

}  // namespace kv::fuzz
