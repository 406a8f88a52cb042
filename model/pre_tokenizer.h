// PreTokenizer: cuts a text into the words that byte-pair merges stay inside of.
//
// Each step cuts the pieces of the step before, by a regular expression over Unicode text. The expressions come from
// the tokenizer's file; PCRE2 runs them, where Python's tokenizers run Oniguruma. What is a letter depends on the
// edition of Unicode that each was built with: characters of recent ones may be cut differently.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kv {

class PreTokenizer {
 public:
  // What becomes of a match.
  enum class Behaviour {
    isolated,              // a piece of its own
    removed,               // dropped from the text
    merged_with_previous,  // the end of the piece before it
  };

  // The steps, in order. With `inverted`, what lies between the matches is taken for the matches. Throws
  // std::invalid_argument for a pattern that does not compile.
  void add_split(const std::string& pattern, Behaviour behaviour, bool inverted = false);
  void add_literal_split(const std::string& text, Behaviour behaviour, bool inverted = false);
  // A space in front of every piece that has none.
  void add_prefix_space();

  // The words of valid UTF-8, none empty. No steps: the text itself. Throws std::invalid_argument when a pattern takes
  // too many steps, which only a malicious one does.
  std::vector<std::string> words(std::string_view text) const;

  // GPT-2's rule: contractions, letters, numbers and other signs, each with the space before it; and white space.
  static const char* const kGpt2Pattern;

  // The rules of well-known tokenizers, as in the tokenizer.json of each.
  static PreTokenizer gpt2();
  static PreTokenizer smollm();  // every digit by itself, then GPT-2's rule
  static PreTokenizer llama3();  // the sign before a word goes with it; digits by threes; contractions in any case
  static PreTokenizer qwen2();   // the same with every digit by itself

 private:
  struct Step {
    std::shared_ptr<const void> pattern;  // compiled; null: the prefix space
    Behaviour behaviour = Behaviour::isolated;
    bool inverted = false;
  };

  static void cut(std::string_view piece, const Step& step, std::vector<std::string>& finer);
  void add_compiled(const std::string& pattern, bool literal, Behaviour behaviour, bool inverted);

  std::vector<Step> steps_;
};

}  // namespace kv
