#include "model/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace kv {

namespace {

// A stretch of the text that is a match, or lies between two.
struct Stretch {
  std::string_view text;
  bool match;
};

std::string message_of(int error) {
  char message[256] = {};
  pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(message), sizeof message);
  return message;
}

// PCRE2 takes U+180E for white space, as Unicode did before 6.3. U+200B is what it became, a format character, and has
// as many bytes: patterns see that one in its place.
std::string with_modern_spaces(std::string_view text) {
  constexpr std::string_view kOnceASpace = "\xE1\xA0\x8E", kFormat = "\xE2\x80\x8B";  // U+180E, U+200B
  std::string modern(text);
  for (size_t at = 0; (at = modern.find(kOnceASpace, at)) != std::string::npos; at += kFormat.size())
    modern.replace(at, kFormat.size(), kFormat);
  return modern;
}

// Patterns come out of files, and some need exponentially many steps. Those of real tokenizers need one or a few a
// byte; DeepSeek's \s+$ tries each end of a run of n spaces from each of its beginnings, n^2 / 2 steps, which this
// allows for runs of two thousand. PCRE2's own limit, a constant, would stop the others on long texts.
uint32_t most_steps(size_t text_bytes) {
  return static_cast<uint32_t>(std::min<uint64_t>(100'000 + 1'000 * uint64_t{text_bytes}, 0xffffffffu));
}
constexpr uint32_t kMostHeap = 100'000;  // KiB

std::vector<Stretch> stretches(const pcre2_code* pattern, std::string_view text) {
  uint32_t options = 0;
  pcre2_pattern_info(pattern, PCRE2_INFO_ALLOPTIONS, &options);
  const std::string seen = (options & PCRE2_LITERAL) != 0 ? std::string(text) : with_modern_spaces(text);
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(pattern, nullptr), pcre2_match_data_free);
  const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits(
      pcre2_match_context_create(nullptr), pcre2_match_context_free);
  pcre2_set_match_limit(limits.get(), most_steps(text.size()));
  pcre2_set_heap_limit(limits.get(), kMostHeap);

  std::vector<Stretch> list;
  size_t done = 0;  // up to here the list is complete
  size_t from = 0;  // the next search begins here
  while (from < text.size()) {
    // The text was checked once; checking it again for each match would make the whole quadratic.
    const int found = pcre2_match(pattern, reinterpret_cast<PCRE2_SPTR>(seen.data()), seen.size(), from,
                                  PCRE2_NO_UTF_CHECK, match.get(), limits.get());
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0)
      throw std::invalid_argument(
          fmt::format("the tokenizer's pattern gives up on a text of {} bytes: {}", text.size(), message_of(found)));
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    const size_t begin = ends[0], end = ends[1];
    if (end <= begin) {  // an empty match cuts nothing: try from the next character
      from = begin + 1;
      while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0u) == 0x80u) ++from;
      continue;
    }
    if (begin > done) list.push_back({text.substr(done, begin - done), false});
    list.push_back({text.substr(begin, end - begin), true});
    done = from = end;
  }
  if (done < text.size()) list.push_back({text.substr(done), false});
  return list;
}

// Llama 3's pattern before and behind its rule for digits.
const std::string kLlama3Start = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
const std::string kLlama3End = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

PreTokenizer one_split(const std::string& pattern) {
  PreTokenizer result;
  result.add_split(pattern, PreTokenizer::Behaviour::isolated);
  return result;
}

}  // namespace

// From github.com/openai/gpt-2, src/encoder.py.
const char* const PreTokenizer::kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

PreTokenizer PreTokenizer::gpt2() { return one_split(kGpt2Pattern); }

PreTokenizer PreTokenizer::smollm() {
  PreTokenizer result = one_split(R"(\p{N})");
  result.add_split(kGpt2Pattern, Behaviour::isolated);
  return result;
}

PreTokenizer PreTokenizer::llama3() { return one_split(kLlama3Start + R"(\p{N}{1,3})" + kLlama3End); }
PreTokenizer PreTokenizer::qwen2() { return one_split(kLlama3Start + R"(\p{N})" + kLlama3End); }

void PreTokenizer::add_split(const std::string& pattern, Behaviour behaviour, bool inverted) {
  add_compiled(pattern, false, behaviour, inverted);
}

void PreTokenizer::add_literal_split(const std::string& text, Behaviour behaviour, bool inverted) {
  add_compiled(text, true, behaviour, inverted);
}

void PreTokenizer::add_compiled(const std::string& pattern, bool literal, Behaviour behaviour, bool inverted) {
  int error = 0;
  size_t where = 0;
  // \C matches a byte: it would cut characters in two, and what comes behind relies on whole ones.
  const uint32_t options =
      PCRE2_UTF | (literal ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C);
  pcre2_code* const code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options, &error, &where, nullptr);
  if (code == nullptr)
    throw std::invalid_argument(fmt::format("the pattern is wrong at byte {}: {}", where, message_of(error)));
  steps_.push_back({std::shared_ptr<const void>(
                        code, [](const void* p) { pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(p))); }),
                    behaviour, inverted});
}

void PreTokenizer::add_prefix_space() { steps_.push_back({}); }

std::vector<std::string> PreTokenizer::words(std::string_view text) const {
  std::vector<std::string> pieces;
  if (!text.empty()) pieces.emplace_back(text);
  for (const Step& step : steps_) {
    std::vector<std::string> finer;
    for (const std::string& piece : pieces) {
      if (step.pattern == nullptr)
        finer.push_back(piece.front() == ' ' ? piece : ' ' + piece);
      else
        cut(piece, step, finer);
    }
    pieces = std::move(finer);
  }
  return pieces;
}

void PreTokenizer::cut(std::string_view piece, const Step& step, std::vector<std::string>& finer) {
  bool after_match = false, first = true;
  for (const Stretch& stretch : stretches(static_cast<const pcre2_code*>(step.pattern.get()), piece)) {
    const bool match = stretch.match != step.inverted;
    const bool joins = step.behaviour == Behaviour::merged_with_previous && match && !after_match && !first;
    if (joins)
      finer.back() += stretch.text;
    else if (!(match && step.behaviour == Behaviour::removed))
      finer.emplace_back(stretch.text);
    after_match = match;
    first = false;
  }
}

}  // namespace kv
