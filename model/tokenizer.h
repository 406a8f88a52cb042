// Tokenizer: text to token ids and back, by byte-pair encoding over bytes (as in GPT-2), independent of any file
// format.
//
// A text is cut into words (pre_tokenizer.h), a word into bytes, and the pair of neighbours that comes first in the
// list of merges is joined until none is left. Special tokens stand outside all that: their text is cut out beforehand.
// Every text survives encode and decode unchanged, unless the file itself asks for a change: a composed form, or a
// pre-tokenizer that removes or adds something.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/pre_tokenizer.h"

namespace kv {

// What the text of a special token means in a prompt: the token, or just these characters.
enum class Specials { parse, ignore };

// What a file says about a tokenizer.
struct TokenizerParts {
  struct Merge {
    int32_t left, right, result;
  };
  struct AddedToken {
    int32_t id;
    bool special;  // false: found in texts even where Specials::ignore
  };

  std::vector<std::string> tokens;       // [ids] the bytes of each; empty: no such token
  std::array<int32_t, 256> byte_tokens;  // the token of each single byte; -1: none
  std::vector<Merge> merges;             // the first is applied first
  std::vector<AddedToken> added;         // not made by merges: their text is cut out as it is
  bool compose = false;                  // texts are put into Unicode's composed form (NFC) first
  PreTokenizer pre_tokenizer;
  bool whole_words_first = false;  // a word that is a token needs no merges
  std::optional<int32_t> unknown;  // stands for bytes without a token
  std::optional<int32_t> begin;    // stands before every text
};

class Tokenizer {
 public:
  // Throws std::invalid_argument when the parts do not fit together.
  explicit Tokenizer(TokenizerParts parts);

  // The tokens of a text. Throws std::invalid_argument that names the byte where the text is not UTF-8, or the byte for
  // which there is no token. Adds no begin token.
  std::vector<int32_t> encode(std::string_view text, Specials specials) const;
  // Those tokens behind the begin token, where the file wants one; one that is already there is not doubled.
  std::vector<int32_t> with_begin(std::vector<int32_t> tokens) const;

  // The exact bytes of the tokens, special ones included. They may end inside a character: see Utf8Stream.
  std::string decode(std::span<const int32_t> ids) const;
  // The bytes of one token; `<id 151700>` for an id without a token, since embeddings often have spare rows.
  std::string token_bytes(int32_t id) const;
  // The same, fit for a screen: bytes that are no complete character as <F0 9F 98>, control characters as \n or <07>.
  std::string token_label(int32_t id) const;

  bool has_token(int32_t id) const;
  bool is_special(int32_t id) const;
  int64_t size() const { return std::ssize(parts_.tokens); }  // one more than the largest id
  std::optional<int32_t> begin_token() const { return parts_.begin; }
  const std::vector<int32_t>& special_tokens() const { return special_tokens_; }

 private:
  struct Rank {
    int32_t rank, result;
  };

  std::optional<int32_t> added_token_at(std::string_view text, Specials specials) const;
  void encode_plain(std::string_view text, std::vector<int32_t>& ids) const;
  void encode_word(const std::string& word, std::vector<int32_t>& ids) const;
  std::vector<int32_t> bytes_as_tokens(std::string_view word) const;
  const Rank* merge_of(int32_t left, int32_t right) const;

  TokenizerParts parts_;
  std::unordered_map<uint64_t, Rank> ranks_;                   // by (left, right)
  std::unordered_map<std::string, int32_t> whole_words_;       // only where whole words come first
  std::array<std::vector<int32_t>, 256> added_by_first_byte_;  // longest first
  std::vector<int32_t> special_tokens_;                        // ascending
};

}  // namespace kv
