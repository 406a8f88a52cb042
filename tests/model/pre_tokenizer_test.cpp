#include "model/pre_tokenizer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

using Words = std::vector<std::string>;
using Behaviour = PreTokenizer::Behaviour;

PreTokenizer split(const std::string& pattern, Behaviour behaviour, bool inverted = false) {
  PreTokenizer result;
  result.add_split(pattern, behaviour, inverted);
  return result;
}

PreTokenizer gpt2() { return PreTokenizer::gpt2(); }
PreTokenizer smollm() { return PreTokenizer::smollm(); }

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("GPT-2's rule keeps one space with the word behind it") {
    CHECK(gpt2().words("Hello,  world") == Words{"Hello", ",", " ", " world"});
    CHECK(gpt2().words("a 42") == Words{"a", " 42"});
    CHECK(gpt2().words("x  3") == Words{"x", " ", " 3"});
    CHECK(gpt2().words("a\u00A0b") == Words{"a", "\u00A0", "b"});
    CHECK(gpt2().words("trailing  ") == Words{"trailing", "  "});
  }

  TEST_CASE("contractions are cut in lower case only") {
    CHECK(gpt2().words("don't") == Words{"don", "'t"});
    CHECK(gpt2().words("DON'T") == Words{"DON", "'", "T"});
  }

  TEST_CASE("line feeds stay apart from the text behind them") {
    CHECK(gpt2().words("\n\nx") == Words{"\n", "\n", "x"});
    CHECK(gpt2().words("x\n\n y") == Words{"x", "\n\n", " y"});
  }

  TEST_CASE("letters and numbers are Unicode's") {
    CHECK(gpt2().words("\u043D\u0435 \u4F60\u597D") == Words{"\u043D\u0435", " \u4F60\u597D"});
    CHECK(gpt2().words("x\u00BD\u0663") == Words{"x", "\u00BD\u0663"});
    CHECK(gpt2().words("\U0001F600!") == Words{"\U0001F600!"});
  }

  TEST_CASE("each step cuts the pieces of the one before: no space is glued to a digit") {
    CHECK(smollm().words("a 42") == Words{"a", " ", "4", "2"});
    CHECK(smollm().words("x  3") == Words{"x", "  ", "3"});
  }

  TEST_CASE("SmolLM's rule is GPT-2's between single digits") {
    CHECK(smollm().words("don't") == Words{"don", "'t"});
    CHECK(smollm().words("DON'T") == Words{"DON", "'", "T"});
    CHECK(smollm().words("Hello,  world") == Words{"Hello", ",", " ", " world"});
    CHECK(smollm().words("\n\nx") == Words{"\n", "\n", "x"});
    CHECK(smollm().words("x\n\n y") == Words{"x", "\n\n", " y"});
    CHECK(smollm().words("x\u00BD\u0663") == Words{"x", "\u00BD", "\u0663"});
  }

  TEST_CASE("Llama 3's rule takes a sign with its word, digits by threes, and line feeds with the signs before them") {
    CHECK(PreTokenizer::llama3().words("(hello) 12345") == Words{"(hello", ")", " ", "123", "45"});
    CHECK(PreTokenizer::llama3().words("DON'T 'tis") == Words{"DON", "'T", " '", "tis"});
    CHECK(PreTokenizer::llama3().words("end.\n\nx \n y") == Words{"end", ".\n\n", "x", " \n", " y"});
    CHECK(PreTokenizer::llama3().words("a   b") == Words{"a", "  ", " b"});
  }

  TEST_CASE("Qwen 2's rule is Llama 3's with single digits") {
    CHECK(PreTokenizer::qwen2().words("(hello) 12345") == Words{"(hello", ")", " ", "1", "2", "3", "4", "5"});
    CHECK(PreTokenizer::qwen2().words("DON'T") == Words{"DON", "'T"});
  }

  TEST_CASE("U+180E is a sign and no space, as Unicode has had it since 6.3") {
    CHECK(gpt2().words("a\u180Eb") == Words{"a", "\u180E", "b"});
    CHECK(gpt2().words(" \u180E") == Words{" \u180E"});
    PreTokenizer literal;
    literal.add_literal_split("\u180E", Behaviour::removed);
    CHECK(literal.words("a\u180Eb\u200Bc") == Words{"a", "b\u200Bc"});
  }

  TEST_CASE("texts are cut as Hugging Face's tokenizers cut them") {
    const auto path = std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/goldens/word_cases.json";
    const auto cases = nlohmann::json::parse(kv::test::read_whole_file(path)).at("cases");
    CHECK(cases.size() == 60);
    for (const auto& example : cases) {
      const auto text = example.at("text").get<std::string>();
      CAPTURE(text);
      CHECK(PreTokenizer::gpt2().words(text) == example.at("gpt-2").get<Words>());
      CHECK(PreTokenizer::smollm().words(text) == example.at("smollm").get<Words>());
      CHECK(PreTokenizer::llama3().words(text) == example.at("llama-bpe").get<Words>());
      CHECK(PreTokenizer::qwen2().words(text) == example.at("qwen2").get<Words>());
    }
  }

  TEST_CASE("runs of a million characters are cut by the rules of well-known tokenizers") {
    for (const PreTokenizer& rule : {PreTokenizer::gpt2(), PreTokenizer::llama3()})
      for (const char* unit : {" ", "\n", "a", "'", " \t", "\u4F60"}) {
        std::string run;
        while (run.size() < 1'000'000) run += unit;
        const Words words = rule.words(run + "x");
        std::string joined;
        for (const std::string& word : words) joined += word;
        CHECK((joined == run + "x"));
      }
  }

  TEST_CASE("a match is isolated, removed or merged with the piece before it") {
    CHECK(split("-", Behaviour::isolated).words("a--b-c") == Words{"a", "-", "-", "b", "-", "c"});
    CHECK(split("-", Behaviour::removed).words("a--b-c") == Words{"a", "b", "c"});
    CHECK(split("-", Behaviour::merged_with_previous).words("a--b-c") == Words{"a-", "-", "b-", "c"});
    CHECK(split("-", Behaviour::merged_with_previous).words("-a") == Words{"-", "a"});
  }

  TEST_CASE("inverted, what lies between the matches is taken for them") {
    CHECK(split("[a-z]+", Behaviour::removed, true).words("ab-cd--ef") == Words{"ab", "cd", "ef"});
    CHECK(split("[a-z]+", Behaviour::merged_with_previous, true).words("ab-cd--ef") == Words{"ab-", "cd--", "ef"});
  }

  TEST_CASE("a literal split takes its text as it is") {
    PreTokenizer literal;
    literal.add_literal_split("a.", Behaviour::isolated);
    CHECK(literal.words("xa.ab") == Words{"x", "a.", "ab"});
  }

  TEST_CASE("a prefix space goes to every piece that has none") {
    PreTokenizer prefixed;
    prefixed.add_prefix_space();
    CHECK(prefixed.words("a") == Words{" a"});
    CHECK(prefixed.words(" a") == Words{" a"});
    CHECK(prefixed.words("\na") == Words{" \na"});
  }

  TEST_CASE("an empty match cuts nothing, also between the bytes of a character") {
    CHECK(split("x*", Behaviour::isolated).words("a\u00E9xx\U0001F600") == Words{"a\u00E9", "xx", "\U0001F600"});
  }

  TEST_CASE("no text gives no words, and no steps give the text") {
    CHECK(gpt2().words("").empty());
    CHECK(PreTokenizer().words("a b") == Words{"a b"});
  }

  TEST_CASE("a pattern that does not compile is refused, with the place") {
    CHECK(names(error_of<std::invalid_argument>([] { split("a(b", Behaviour::isolated); }), "byte 3"));
  }

  TEST_CASE("a pattern that would cut characters in two is refused") {
    CHECK(names(error_of<std::invalid_argument>([] { split("\\C", Behaviour::isolated); }), "byte 2", "\\C"));
  }

  TEST_CASE("a pattern of exponentially many steps gives up; long runs do not make real ones do so") {
    const PreTokenizer endless = split("(a+)+$", Behaviour::isolated);
    CHECK(endless.words("aaa") == Words{"aaa"});
    CHECK(names(error_of<std::invalid_argument>([&] { endless.words(std::string(40, 'a') + "!"); }), "41 bytes",
                "limit"));
    for (const PreTokenizer& real : {gpt2(), smollm(), PreTokenizer::llama3(), PreTokenizer::qwen2()})
      for (const char* unit : {" ", "\n", "a", "A", "7", "!", "\u00E9", "'"}) {
        std::string run;
        for (int i = 0; i < 100'000; ++i) run += unit;
        std::string joined;
        for (const std::string& word : real.words(run + "x")) joined += word;
        CHECK(joined == run + "x");
      }
    // A part of DeepSeek's pattern that looks at the rest of a run from each of its spaces.
    const std::string spaces(1'500, ' ');
    CHECK(split("\\s+$", Behaviour::isolated).words(spaces + "x") == Words{spaces + "x"});
  }
}
