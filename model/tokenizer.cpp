#include "model/tokenizer.h"

#include <fmt/format.h>

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "model/utf8_stream.h"

namespace kv {

namespace {

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

size_t first_byte(std::string_view text) { return static_cast<unsigned char>(text.front()); }

void demand_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Piece piece = first_utf8_piece(text.substr(at));
    if (piece.kind != Utf8Piece::Kind::character)
      throw std::invalid_argument(fmt::format("the text is not valid UTF-8 at byte {}", at));
    at += piece.bytes;
  }
}

// Unicode's normal form C: a letter and its combining marks become one character where there is one.
std::string composed(std::string_view text) {
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (size < 0) throw std::invalid_argument(fmt::format("the text cannot be composed: {}", utf8proc_errmsg(size)));
  return {reinterpret_cast<const char*>(result), static_cast<size_t>(size)};
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
  const auto check = [&](int32_t id, const char* what) {
    if (!has_token(id)) throw std::invalid_argument(fmt::format("{}: there is no token {}", what, id));
  };
  for (const int32_t id : parts_.byte_tokens)
    if (id != -1) check(id, "the tokens of single bytes");
  if (parts_.unknown) check(*parts_.unknown, "the unknown token");
  if (parts_.begin) check(*parts_.begin, "the begin token");

  for (const TokenizerParts::Merge& merge : parts_.merges) {
    check(merge.left, "merges");
    check(merge.right, "merges");
    check(merge.result, "merges");
    // A pair that is listed twice keeps its first rank.
    ranks_.try_emplace(pair_key(merge.left, merge.right), Rank{static_cast<int32_t>(ranks_.size()), merge.result});
  }

  std::vector<bool> is_added(parts_.tokens.size(), false);
  for (const TokenizerParts::AddedToken& token : parts_.added) {
    check(token.id, "added tokens");
    is_added[static_cast<size_t>(token.id)] = true;
    if (token.special) special_tokens_.push_back(token.id);
    added_by_first_byte_[first_byte(parts_.tokens[static_cast<size_t>(token.id)])].push_back(token.id);
  }
  const auto length = [&](int32_t id) { return parts_.tokens[static_cast<size_t>(id)].size(); };
  for (std::vector<int32_t>& ids : added_by_first_byte_)
    std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return length(a) > length(b); });
  std::sort(special_tokens_.begin(), special_tokens_.end());

  if (parts_.whole_words_first)
    for (size_t id = 0; id < parts_.tokens.size(); ++id)
      if (!parts_.tokens[id].empty() && !is_added[id])
        whole_words_.try_emplace(parts_.tokens[id], static_cast<int32_t>(id));
}

// --- Text to tokens ---

std::vector<int32_t> Tokenizer::encode(std::string_view text, Specials specials) const {
  demand_utf8(text);
  std::vector<int32_t> ids;
  size_t plain_from = 0;
  for (size_t at = 0; at < text.size();) {
    const std::optional<int32_t> token = added_token_at(text.substr(at), specials);
    if (!token) {
      ++at;
      continue;
    }
    encode_plain(text.substr(plain_from, at - plain_from), ids);
    ids.push_back(*token);
    plain_from = at += parts_.tokens[static_cast<size_t>(*token)].size();
  }
  encode_plain(text.substr(plain_from), ids);
  return ids;
}

// The longest added token that the text begins with.
std::optional<int32_t> Tokenizer::added_token_at(std::string_view text, Specials specials) const {
  for (const int32_t id : added_by_first_byte_[first_byte(text)])
    if (text.starts_with(parts_.tokens[static_cast<size_t>(id)]) && (specials == Specials::parse || !is_special(id)))
      return id;
  return std::nullopt;
}

void Tokenizer::encode_plain(std::string_view text, std::vector<int32_t>& ids) const {
  const std::string form_c = parts_.compose ? composed(text) : std::string();
  for (const std::string& word : parts_.pre_tokenizer.words(parts_.compose ? form_c : text)) encode_word(word, ids);
}

// Joins the pair of lowest rank, leftmost first, until no pair is in the list. Joining one pair makes at most two new
// ones, so a heap of pairs over a linked list of symbols does it in n log n steps, whatever the length of the word.
void Tokenizer::encode_word(const std::string& word, std::vector<int32_t>& ids) const {
  if (const auto whole = whole_words_.find(word); whole != whole_words_.end()) return ids.push_back(whole->second);

  constexpr int32_t kJoined = -1;  // a symbol that is now part of the one before it
  constexpr size_t kNone = static_cast<size_t>(-1);
  struct Symbol {
    int32_t token;
    size_t previous, next;
  };
  struct Pair {
    int32_t rank;
    size_t left;
    bool operator>(const Pair& other) const { return std::tie(rank, left) > std::tie(other.rank, other.left); }
  };
  std::vector<Symbol> symbols;
  for (const int32_t token : bytes_as_tokens(word)) {
    if (!symbols.empty()) symbols.back().next = symbols.size();
    symbols.push_back({token, symbols.empty() ? kNone : symbols.size() - 1, kNone});
  }

  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs;
  const auto rank_at = [&](size_t left) -> const Rank* {
    const size_t right = symbols[left].next;
    return right == kNone ? nullptr : merge_of(symbols[left].token, symbols[right].token);
  };
  const auto push = [&](size_t left) {
    if (const Rank* merge = rank_at(left)) pairs.push({merge->rank, left});
  };
  for (size_t left = 0; left < symbols.size(); ++left) push(left);

  while (!pairs.empty()) {
    const Pair pair = pairs.top();
    pairs.pop();
    Symbol& left = symbols[pair.left];
    if (left.token == kJoined) continue;
    const Rank* merge = rank_at(pair.left);
    if (merge == nullptr || merge->rank != pair.rank)
      continue;  // a neighbour was joined since: another pair stands here
    Symbol& right = symbols[left.next];
    left.token = merge->result;
    right.token = kJoined;
    left.next = right.next;
    if (left.next != kNone) symbols[left.next].previous = pair.left;
    push(pair.left);
    if (left.previous != kNone) push(left.previous);
  }
  for (const Symbol& symbol : symbols)
    if (symbol.token != kJoined) ids.push_back(symbol.token);
}

std::vector<int32_t> Tokenizer::bytes_as_tokens(std::string_view word) const {
  std::vector<int32_t> tokens;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const int32_t token = parts_.byte_tokens[byte];
    if (token == -1 && !parts_.unknown)
      throw std::invalid_argument(fmt::format("this tokenizer has no token for byte {:02X}, in \"{}\"", byte, word));
    tokens.push_back(token == -1 ? *parts_.unknown : token);
  }
  return tokens;
}

const Tokenizer::Rank* Tokenizer::merge_of(int32_t left, int32_t right) const {
  const auto found = ranks_.find(pair_key(left, right));
  return found == ranks_.end() ? nullptr : &found->second;
}

std::vector<int32_t> Tokenizer::with_begin(std::vector<int32_t> tokens) const {
  if (parts_.begin && (tokens.empty() || tokens.front() != *parts_.begin)) tokens.insert(tokens.begin(), *parts_.begin);
  return tokens;
}

// --- Tokens to text ---

bool Tokenizer::has_token(int32_t id) const {
  return id >= 0 && id < size() && !parts_.tokens[static_cast<size_t>(id)].empty();
}

bool Tokenizer::is_special(int32_t id) const {
  return std::binary_search(special_tokens_.begin(), special_tokens_.end(), id);
}

std::string Tokenizer::token_bytes(int32_t id) const {
  return has_token(id) ? parts_.tokens[static_cast<size_t>(id)] : fmt::format("<id {}>", id);
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) text += token_bytes(id);
  return text;
}

std::string Tokenizer::token_label(int32_t id) const {
  const std::string bytes = token_bytes(id);
  std::string label, unprintable;
  const auto flush = [&] {
    if (!unprintable.empty()) label += "<" + unprintable + ">";
    unprintable.clear();
  };
  for (std::string_view rest = bytes; !rest.empty();) {
    const Utf8Piece piece = first_utf8_piece(rest);
    const std::string_view text = rest.substr(0, piece.bytes);
    const char32_t point = piece.kind == Utf8Piece::Kind::character ? code_point_of(text) : 0;
    const bool printable = point >= 0x20 && !(point >= 0x7F && point < 0xA0);
    if (printable || text == "\n" || text == "\t" || text == "\r") {
      flush();
      label += text == "\n" ? "\\n" : text == "\t" ? "\\t" : text == "\r" ? "\\r" : text;
    } else {
      for (const char c : text)
        unprintable += fmt::format("{}{:02X}", unprintable.empty() ? "" : " ", static_cast<unsigned char>(c));
    }
    rest.remove_prefix(piece.bytes);
  }
  flush();
  return label;
}

}  // namespace kv
