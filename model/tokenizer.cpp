#include "model/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/composed_form.h"
#include "model/utf8_stream.h"

namespace kv {

namespace {

constexpr size_t kMostJoinedBytes = 256;  // SentencePiece makes tokens of 16 characters unless told otherwise
constexpr size_t kMostShownBytes = 60;

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

void demand_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Piece piece = first_utf8_piece(text.substr(at));
    if (piece.kind != Utf8Piece::Kind::character)
      throw std::invalid_argument(fmt::format("the text is not valid UTF-8 at byte {}", at));
    at += piece.bytes;
  }
}

// The text of a token or a word on one line: bytes that are no complete character as <F0 9F 98>, control characters as
// \n or <07>.
std::string label_of(std::string_view bytes) {
  std::string label, unprintable;
  const auto flush = [&] {
    if (!unprintable.empty()) label += "<" + unprintable + ">";
    unprintable.clear();
  };
  for (std::string_view rest = bytes; !rest.empty();) {
    const Utf8Piece piece = first_utf8_piece(rest);
    const std::string_view text = rest.substr(0, piece.bytes);
    const char32_t point = piece.kind == Utf8Piece::Kind::character ? code_point_of(text) : 0;
    const bool printable = point >= 0x20 && !(point >= 0x7F && point < 0xA0) && point != 0x2028 && point != 0x2029;
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

// SentencePiece's mark of a space is one.
std::string with_plain_spaces(std::string_view text) {
  constexpr std::string_view kMark = "\xE2\x96\x81";  // U+2581
  std::string result;
  while (!text.empty()) {
    const size_t mark = std::min(text.find(kMark), text.size());
    result += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    result += ' ';
    text.remove_prefix(kMark.size());
  }
  return result;
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::make_shared<const TokenizerParts>(std::move(parts))) {
  check_ids();
  index_merges();
  index_added();
  index_texts();
}

void Tokenizer::check_ids() const {
  const auto check = [&](int32_t id, const char* what) {
    if (!has_token(id)) throw std::invalid_argument(fmt::format("{}: there is no token {}", what, id));
  };
  for (const int32_t id : parts_->byte_tokens)
    if (id != -1) check(id, "the tokens of single bytes");
  if (parts_->unknown) check(*parts_->unknown, "the unknown token");
  if (parts_->begin) check(*parts_->begin, "the begin token");
  for (const TokenizerParts::Merge& merge : parts_->merges)
    for (const int32_t id : {merge.left, merge.right, merge.result}) check(id, "merges");
  for (const TokenizerParts::AddedToken& token : parts_->added) check(token.id, "added tokens");
  if (by_scores() && (parts_->scores.size() != parts_->tokens.size() || !parts_->merges.empty()))
    throw std::invalid_argument(
        fmt::format("{} scores and {} merges for {} tokens, expected a score for each, or merges",
                    parts_->scores.size(), parts_->merges.size(), parts_->tokens.size()));
}

void Tokenizer::index_merges() {
  merges_.reserve(parts_->merges.size());
  for (const TokenizerParts::Merge& merge : parts_->merges)
    // A pair that is listed twice keeps its first place.
    merges_.try_emplace(pair_key(merge.left, merge.right), Join{static_cast<double>(merges_.size()), merge.result});
}

void Tokenizer::index_added() {
  std::vector<AddedTokens::Token> added;
  for (const auto& [id, special] : parts_->added) {
    added.push_back({id, parts_->tokens[static_cast<size_t>(id)], special});
    if (special) special_tokens_.push_back(id);
  }
  added_ = AddedTokens(std::move(added));
  std::sort(special_tokens_.begin(), special_tokens_.end());
}

// Of tokens with one text, the first is found.
void Tokenizer::index_texts() {
  if (!by_scores() && !parts_->whole_words_first) return;
  std::vector<bool> left_out(parts_->tokens.size(), false);
  for (const TokenizerParts::AddedToken& token : parts_->added) left_out[static_cast<size_t>(token.id)] = true;
  texts_.reserve(parts_->tokens.size());
  for (size_t id = 0; id < parts_->tokens.size(); ++id) {
    const std::string& text = parts_->tokens[id];
    if (text.empty() || left_out[id] || (by_scores() && parts_->scores[id] == TokenizerParts::kNeverJoined)) continue;
    texts_.try_emplace(text, static_cast<int32_t>(id));
    longest_text_ = std::max(longest_text_, text.size());
  }
  // Every join looks a text up: keep that cheap whatever the file says.
  if (by_scores() && longest_text_ > kMostJoinedBytes)
    throw std::invalid_argument(
        fmt::format("a token has {} bytes; kvlab joins tokens of at most {}", longest_text_, kMostJoinedBytes));
}

// --- Text to tokens ---

std::vector<int32_t> Tokenizer::encode(std::string_view text, Specials specials) const {
  demand_utf8(text);
  std::vector<int32_t> ids;
  size_t plain_from = 0;
  for (size_t at = 0; at < text.size();) {
    const AddedTokens::Found found = added_.longest_at(text.substr(at), specials == Specials::parse);
    if (found.bytes == 0) {
      ++at;
      continue;
    }
    encode_plain(text.substr(plain_from, at - plain_from), ids);
    ids.push_back(found.id);
    plain_from = at += found.bytes;
  }
  encode_plain(text.substr(plain_from), ids);
  return ids;
}

void Tokenizer::encode_plain(std::string_view text, std::vector<int32_t>& ids) const {
  if (text.empty()) return;
  std::string changed;
  if (parts_->compose) text = changed = composed_form(text);
  if (by_scores()) text = changed = with_plain_spaces(text);
  if (parts_->space_in_front) text = changed = " " + std::string(text);
  for (const std::string& word : parts_->pre_tokenizer.words(text)) encode_word(word, ids);
}

void Tokenizer::encode_word(std::string_view word, std::vector<int32_t>& ids) const {
  if (parts_->whole_words_first)
    if (const std::optional<int32_t> whole = token_of(word)) return ids.push_back(*whole);

  const auto join = [&](const Symbol& left, const Symbol& right) { return join_of(word, left, right); };
  bool after_unknown = false;
  for (const Symbol& symbol : join_neighbours(symbols_of(word), join)) {
    if (symbol.token >= 0)
      ids.push_back(symbol.token);
    else
      spell_in_bytes(word, symbol, after_unknown, ids);
    after_unknown = symbol.token < 0;
  }
}

// The bytes of a word, or its characters, with their tokens where they have one.
std::vector<Symbol> Tokenizer::symbols_of(std::string_view word) const {
  std::vector<Symbol> symbols;
  for (size_t at = 0; at < word.size();) {
    const size_t end = at + (by_scores() ? first_utf8_piece(word.substr(at)).bytes : 1);
    const int32_t token = by_scores() ? token_of(word.substr(at, end - at)).value_or(-1)
                                      : parts_->byte_tokens[static_cast<unsigned char>(word[at])];
    symbols.push_back({token, at, end});
    at = end;
  }
  return symbols;
}

std::optional<Join> Tokenizer::join_of(std::string_view word, const Symbol& left, const Symbol& right) const {
  if (by_scores()) {
    const std::optional<int32_t> token = token_of(word.substr(left.begin, right.end - left.begin));
    if (!token) return std::nullopt;
    return Join{-static_cast<double>(parts_->scores[static_cast<size_t>(*token)]), *token};
  }
  const auto found = merges_.find(pair_key(left.token, right.token));
  if (found == merges_.end()) return std::nullopt;
  return found->second;
}

std::optional<int32_t> Tokenizer::token_of(std::string_view text) const {
  if (text.size() > longest_text_) return std::nullopt;
  const auto found = texts_.find(text);
  if (found == texts_.end()) return std::nullopt;
  return found->second;
}

// What no token stands for: the tokens of its bytes if it has them all, else the unknown token. SentencePiece gives a
// run of unknown characters one such token, byte-level encoding gives each byte one.
void Tokenizer::spell_in_bytes(std::string_view word, const Symbol& symbol, bool after_unknown,
                               std::vector<int32_t>& ids) const {
  const std::string_view piece = word.substr(symbol.begin, symbol.end - symbol.begin);
  const auto token_of_byte = [&](char c) { return parts_->byte_tokens[static_cast<unsigned char>(c)]; };
  const auto missing = std::find_if(piece.begin(), piece.end(), [&](char c) { return token_of_byte(c) < 0; });
  if (missing == piece.end()) {
    for (const char c : piece) ids.push_back(token_of_byte(c));
  } else if (!parts_->unknown) {
    throw std::invalid_argument(fmt::format("this tokenizer has no token for byte {:02X}, in \"{}\"",
                                            static_cast<unsigned char>(*missing),
                                            label_of(by_scores() ? piece : word.substr(0, kMostShownBytes))));
  } else if (!(by_scores() && after_unknown && ids.back() == *parts_->unknown)) {
    ids.push_back(*parts_->unknown);
  }
}

std::vector<int32_t> Tokenizer::with_begin(std::vector<int32_t> tokens) const {
  if (parts_->begin && (tokens.empty() || tokens.front() != *parts_->begin))
    tokens.insert(tokens.begin(), *parts_->begin);
  return tokens;
}

// --- Tokens to text ---

bool Tokenizer::has_token(int32_t id) const {
  return id >= 0 && id < size() && !parts_->tokens[static_cast<size_t>(id)].empty();
}

bool Tokenizer::is_special(int32_t id) const {
  return std::binary_search(special_tokens_.begin(), special_tokens_.end(), id);
}

int Tokenizer::bytes_without_token() const {
  return static_cast<int>(std::count(parts_->byte_tokens.begin(), parts_->byte_tokens.end(), -1));
}

std::string Tokenizer::token_bytes(int32_t id) const {
  return has_token(id) ? parts_->tokens[static_cast<size_t>(id)] : fmt::format("<id {}>", id);
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) text += token_bytes(id);
  return text;
}

std::string Tokenizer::token_label(int32_t id) const { return label_of(token_bytes(id)); }

}  // namespace kv
