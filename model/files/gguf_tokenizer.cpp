#include "model/files/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "model/files/byte_level.h"
#include "model/files/gguf_vocabulary.h"
#include "model/files/printable.h"

namespace kv {

namespace {

constexpr auto kModel = "tokenizer.ggml.model", kPre = "tokenizer.ggml.pre", kTokens = "tokenizer.ggml.tokens",
               kTypes = "tokenizer.ggml.token_type", kScores = "tokenizer.ggml.scores",
               kMerges = "tokenizer.ggml.merges", kBegin = "tokenizer.ggml.bos_token_id",
               kEnd = "tokenizer.ggml.eos_token_id", kEndOfTurn = "tokenizer.ggml.eot_token_id",
               kEndOfMessage = "tokenizer.ggml.eom_token_id", kUnknown = "tokenizer.ggml.unknown_token_id",
               kAddBegin = "tokenizer.ggml.add_bos_token", kAddSpace = "tokenizer.ggml.add_space_prefix",
               kTemplate = "tokenizer.chat_template";

// Control tokens with such a text end an answer, whether or not a key names them.
constexpr std::array<std::string_view, 9> kEndTexts = {
    "<|endoftext|>", "<|im_end|>",      "<|eot_id|>",
    "<|eom_id|>",    "<|end_of_text|>", "<|end|>",
    "</s>",          "<end_of_turn>",   "<\uFF5Cend\u2581of\u2581sentence\uFF5C>"};  // DeepSeek

bool is_on(const Gguf& file, const char* key, bool otherwise) {
  const GgufValue* value = file.find(key);
  return value == nullptr ? otherwise : value->boolean();
}

bool is_cut_out(GgufTokenType type) {
  return type == GgufTokenType::control || type == GgufTokenType::unknown || type == GgufTokenType::user_defined;
}

// The byte of a token spelt <0x0A>.
uint8_t byte_of(const Gguf& file, const GgufVocabulary& vocabulary, int64_t id) {
  const std::string_view spelling = vocabulary.spelling(id);
  uint8_t byte = 0;
  const bool framed = spelling.size() == 6 && spelling.starts_with("<0x") && spelling.back() == '>';
  if (!framed || std::from_chars(&spelling[3], &spelling[5], byte, 16).ptr != &spelling[5])
    file.at(kTokens).fail_at(
        id, fmt::format("is \"{}\", expected the spelling of a byte, as in <0x0A>", printable(spelling)));
  return byte;
}

// --- What both kinds have ---

void read_added(const GgufVocabulary& vocabulary, TokenizerParts& parts) {
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (is_cut_out(vocabulary.type(id)) && !vocabulary.spelling(id).empty())
      parts.added.push_back({id, vocabulary.type(id) != GgufTokenType::user_defined});
}

// What stands for bytes without a token. Files also call a control token unknown (SmolLM2 the end of text); characters
// of a text must not become one, so that such a byte is an error.
void read_unknown(const Gguf& file, const GgufVocabulary& vocabulary, TokenizerParts& parts) {
  parts.unknown = find_gguf_token(file, vocabulary, kUnknown);
  if (parts.unknown && vocabulary.type(*parts.unknown) == GgufTokenType::control) parts.unknown.reset();
  if (parts.unknown) return;
  const auto found = std::find(vocabulary.types.begin(), vocabulary.types.end(), GgufTokenType::unknown);
  const int64_t id = found - vocabulary.types.begin();
  if (id < vocabulary.size() && !vocabulary.spelling(id).empty()) parts.unknown = static_cast<int32_t>(id);
}

void read_begin(const Gguf& file, const GgufVocabulary& vocabulary, bool by_default, TokenizerParts& parts) {
  const std::optional<int32_t> begin = find_gguf_token(file, vocabulary, kBegin);
  if (!is_on(file, kAddBegin, by_default)) return;
  if (!begin)
    throw FormatError(file.path,
                      fmt::format("{} is missing, and texts of this tokenizer begin with that token", kBegin));
  parts.begin = begin;
}

// --- Byte-level BPE ---

// What a name in tokenizer.ggml.pre stands for.
struct CuttingRule {
  std::string_view name;
  PreTokenizer (*pre_tokenizer)();
  bool whole_words_first;
  bool compose;
  bool begins;  // texts get a begin token unless the file says otherwise
};
// llama3 and llama-v3 are older names of llama-bpe (github.com/ggml-org/llama.cpp, src/llama-vocab.cpp). Qwen's own
// tokenizer composes texts first (NFC); the reference reader does not, and differs from the model there.
constexpr std::array<CuttingRule, 6> kCuttingRules = {{{"smollm", PreTokenizer::smollm, false, false, false},
                                                       {"gpt-2", PreTokenizer::gpt2, false, false, false},
                                                       {"llama-bpe", PreTokenizer::llama3, true, false, true},
                                                       {"llama3", PreTokenizer::llama3, true, false, true},
                                                       {"llama-v3", PreTokenizer::llama3, true, false, true},
                                                       {"qwen2", PreTokenizer::qwen2, false, true, false}}};

// A wrong rule gives wrong tokens without a word, so none is guessed.
const CuttingRule& read_cutting_rule(const Gguf& file) {
  std::string known;
  for (const CuttingRule& rule : kCuttingRules) known += (known.empty() ? "" : ", ") + std::string(rule.name);
  const GgufValue* pre = file.find(kPre);
  if (pre == nullptr)
    throw FormatError(file.path, fmt::format("{} is missing: an old file does not say how texts are cut into words; "
                                             "convert the model again (kvlab knows {})",
                                             kPre, known));
  const auto rule = std::find_if(kCuttingRules.begin(), kCuttingRules.end(),
                                 [&](const CuttingRule& each) { return each.name == pre->text(); });
  if (rule == kCuttingRules.end()) pre->fail(fmt::format("is {}; kvlab knows {}", pre->shown(), known));
  return *rule;
}

void read_merges(const Gguf& file, const GgufVocabulary& vocabulary, TokenizerParts& parts) {
  const GgufValue& merges = file.at(kMerges);
  const std::vector<std::string_view> texts = merges.texts();
  parts.merges.reserve(texts.size());
  std::string joined;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const size_t space = texts[i].find(' ', 1);  // a token may begin with a space, or be one
    if (space == std::string_view::npos)
      merges.fail_at(index, fmt::format("is \"{}\", expected two tokens with a space between", printable(texts[i])));
    const auto token = [&](std::string_view text) {
      const auto found = vocabulary.by_text.find(text);
      if (found == vocabulary.by_text.end())
        merges.fail_at(index, fmt::format("needs \"{}\", which is no token", printable(text)));
      return found->second;
    };
    const std::string_view left = texts[i].substr(0, space), right = texts[i].substr(space + 1);
    joined.assign(left).append(right);
    parts.merges.push_back({token(left), token(right), token(joined)});
  }
}

void read_byte_level(const Gguf& file, const GgufVocabulary& vocabulary, TokenizerParts& parts) {
  const CuttingRule& rule = read_cutting_rule(file);
  parts.pre_tokenizer = rule.pre_tokenizer();
  parts.whole_words_first = rule.whole_words_first;
  parts.compose = rule.compose;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view spelling = vocabulary.spelling(id);
    std::optional<std::string> bytes;
    if (vocabulary.type(id) == GgufTokenType::byte)
      bytes = std::string(1, static_cast<char>(byte_of(file, vocabulary, id)));
    else if (!is_cut_out(vocabulary.type(id)))
      bytes = bytes_of_byte_level(spelling);
    if (bytes && bytes->size() == 1) {
      int32_t& token = parts.byte_tokens[static_cast<unsigned char>(bytes->front())];
      if (token == -1) token = id;
    }
    parts.tokens.push_back(bytes ? std::move(*bytes) : std::string(spelling));
  }
  read_merges(file, vocabulary, parts);
  read_begin(file, vocabulary, rule.begins, parts);
}

// --- SentencePiece ---

// "\u2581of" -> " of"
std::string with_spaces(std::string_view spelling) {
  constexpr std::string_view kMark = "\u2581";
  std::string text;
  for (size_t mark; (mark = spelling.find(kMark)) != std::string_view::npos;) {
    text.append(spelling.substr(0, mark)).push_back(' ');
    spelling.remove_prefix(mark + kMark.size());
  }
  return text.append(spelling);
}

void read_sentencepiece(const Gguf& file, const GgufVocabulary& vocabulary, TokenizerParts& parts) {
  const GgufValue& scores = gguf_value_per_token(file, kScores, vocabulary.size());
  parts.scores = scores.numbers();
  file.at(kTypes);  // without it neither bytes nor control tokens could be told from texts
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view spelling = vocabulary.spelling(id);
    const GgufTokenType type = vocabulary.type(id);
    float& score = parts.scores[static_cast<size_t>(id)];
    if (!std::isfinite(score)) scores.fail_at(id, fmt::format("is {}, expected a finite number", score));
    if (type == GgufTokenType::byte) {
      const uint8_t byte = byte_of(file, vocabulary, id);
      if (parts.byte_tokens[byte] == -1) parts.byte_tokens[byte] = id;
      parts.tokens.emplace_back(1, static_cast<char>(byte));
      score = TokenizerParts::kNeverJoined;
    } else {
      parts.tokens.push_back(is_cut_out(type) ? std::string(spelling) : with_spaces(spelling));
      // Spaces are written as U+2581: a token with another one stands for no text.
      if (spelling.find(' ') != std::string_view::npos) score = TokenizerParts::kNeverJoined;
    }
  }
  parts.space_in_front = is_on(file, kAddSpace, true);
  read_begin(file, vocabulary, true, parts);
}

}  // namespace

Tokenizer read_gguf_tokenizer(const Gguf& file) {
  const GgufValue& model = file.at(kModel);
  const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
  TokenizerParts parts;
  parts.tokens.reserve(vocabulary.spellings.size());
  parts.byte_tokens.fill(-1);
  if (model.text() == "gpt2")
    read_byte_level(file, vocabulary, parts);
  else if (model.text() == "llama")
    read_sentencepiece(file, vocabulary, parts);
  else
    model.fail(fmt::format("is {}; kvlab knows gpt2 (byte-level BPE) and llama (SentencePiece)", model.shown()));
  read_added(vocabulary, parts);
  read_unknown(file, vocabulary, parts);
  try {
    return Tokenizer(std::move(parts));
  } catch (const std::invalid_argument& error) {
    file.at(kTokens).fail(std::string("cannot be used: ") + error.what());
  }
}

std::vector<int64_t> gguf_end_tokens(const Gguf& file) {
  if (file.find(kTokens) == nullptr) return {};
  const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
  std::vector<int64_t> ends;
  for (const char* key : {kEnd, kEndOfTurn, kEndOfMessage})
    if (const auto id = find_gguf_token(file, vocabulary, key)) ends.push_back(*id);
  for (int64_t id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.type(id) == GgufTokenType::control &&
        std::find(kEndTexts.begin(), kEndTexts.end(), vocabulary.spelling(id)) != kEndTexts.end())
      ends.push_back(id);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::optional<ChatTemplateText> gguf_chat_template(const Gguf& file) {
  const GgufValue* jinja = file.find(kTemplate);
  if (jinja == nullptr || jinja->text().empty()) return std::nullopt;
  ChatTemplateText text{std::string(jinja->text()), "", ""};
  if (file.find(kTokens) == nullptr) return text;
  const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
  if (const auto begin = find_gguf_token(file, vocabulary, kBegin)) text.begin = vocabulary.spelling(*begin);
  if (const auto end = find_gguf_token(file, vocabulary, kEnd)) text.end = vocabulary.spelling(*end);
  return text;
}

}  // namespace kv
