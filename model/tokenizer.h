// Tokenizer: text to token ids and back, by byte-pair encoding, independent of any file format.
//
// A text is cut into words (pre_tokenizer.h), a word into symbols, and of all neighbours that can be joined the first
// pair in some order is joined, until none is left (join_neighbours.h). Two kinds differ in symbols and order:
//   - byte-level (GPT-2): symbols are bytes, and pairs are joined in the order of a list of merges.
//   - SentencePiece (Llama 2): symbols are characters, and two join when their joined text is a token, the one of the
//     best score first. A character without a token becomes the tokens of its bytes. There are no words: the whole text
//     is one.
// Special tokens stand outside all that: their text is cut out beforehand, and what is between is encoded by itself.
//
// Every text survives encode and decode unchanged, unless the file asks for a change: a composed form, a pre-tokenizer
// that removes or adds something, or SentencePiece's space in front of a text (and behind each token that was cut out),
// which decode() does not take away again. SentencePiece writes spaces as U+2581, so one in a text comes back as a
// space. What has no token at all comes back as the text of the unknown token.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/added_tokens.h"
#include "model/join_neighbours.h"
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
  static constexpr float kNeverJoined = -std::numeric_limits<float>::infinity();

  std::vector<std::string> tokens;       // [ids] the bytes of each; empty: no such token
  std::array<int32_t, 256> byte_tokens;  // the token of each single byte; -1: none
  std::vector<Merge> merges;             // byte-level: the first is applied first
  std::vector<float> scores;             // SentencePiece: [ids], finite or kNeverJoined; empty for the other kind
  std::vector<AddedToken> added;         // not made by joining: their text is cut out as it is
  bool compose = false;                  // texts are put into Unicode's composed form (NFC) first
  PreTokenizer pre_tokenizer;
  bool whole_words_first = false;  // a word that is a token needs no merges
  bool space_in_front = false;     // before every stretch of text between added tokens
  std::optional<int32_t> unknown;  // stands for what has no token: each byte, or SentencePiece's run of characters
  std::optional<int32_t> begin;    // stands before every text
};

class Tokenizer {
 public:
  // Throws std::invalid_argument when the parts do not fit together.
  explicit Tokenizer(TokenizerParts parts);

  // The tokens of a text; of an empty one, none. Throws std::invalid_argument that names the byte where the text is not
  // UTF-8, or the byte for which there is no token. Adds no begin token.
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
  int64_t size() const { return std::ssize(parts_->tokens); }  // one more than the largest id
  std::optional<int32_t> begin_token() const { return parts_->begin; }
  const std::vector<int32_t>& special_tokens() const { return special_tokens_; }
  // How many of the 256 bytes are no token by themselves. Texts with such a byte can be encoded only where a merge
  // covers it or there is an unknown token.
  int bytes_without_token() const;

 private:
  bool by_scores() const { return !parts_->scores.empty(); }
  void check_ids() const;
  void index_merges();
  void index_added();
  void index_texts();

  void encode_plain(std::string_view text, std::vector<int32_t>& ids) const;
  void encode_word(std::string_view word, std::vector<int32_t>& ids) const;
  std::vector<Symbol> symbols_of(std::string_view word) const;
  std::optional<Join> join_of(std::string_view word, const Symbol& left, const Symbol& right) const;
  void spell_in_bytes(std::string_view word, const Symbol& symbol, bool after_unknown, std::vector<int32_t>& ids) const;
  std::optional<int32_t> token_of(std::string_view text) const;

  std::shared_ptr<const TokenizerParts> parts_;          // shared by copies: texts_ points into it
  std::unordered_map<uint64_t, Join> merges_;            // by (left, right)
  std::unordered_map<std::string_view, int32_t> texts_;  // tokens that are found by their whole text
  size_t longest_text_ = 0;                              // among them, in bytes
  AddedTokens added_;
  std::vector<int32_t> special_tokens_;  // ascending
};

}  // namespace kv
