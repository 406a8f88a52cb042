#include "model/files/gguf_vocabulary.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/support/error_of.h"
#include "tests/support/gguf_tokenizers.h"

using namespace kv;
using namespace kv::test;

namespace {

std::string refusal(const GgufTokenizer& made) {
  const Gguf file = made.read();
  return error_of<FormatError>([&] { read_gguf_vocabulary(file); });
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("a GGUF vocabulary has a spelling and a type for each token") {
    const Gguf file = byte_level_tokenizer("smollm").read();
    const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
    CHECK(vocabulary.size() == 260);
    CHECK(vocabulary.spelling(258) == "\u0120the");
    CHECK(vocabulary.type(258) == GgufTokenType::normal);
    CHECK(vocabulary.type(259) == GgufTokenType::control);
    CHECK(vocabulary.by_text.at("th") == 256);
  }

  TEST_CASE("a spelling that stands twice is found as the first of its tokens, an empty one not at all") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.add("the");
    made.add("");
    const Gguf file = made.read();
    const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
    CHECK(vocabulary.by_text.at("the") == 257);
    CHECK(vocabulary.spelling(260) == "the");
    CHECK(!vocabulary.by_text.contains(""));
  }

  TEST_CASE("without types all tokens are normal") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.types.reset();
    CHECK(read_gguf_vocabulary(made.read()).type(259) == GgufTokenType::normal);
  }

  TEST_CASE("types that do not fit the tokens are refused") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.types->pop_back();
    CHECK(names(refusal(made), "tokenizer.ggml.token_type", "259 elements", "260 tokens"));
    made.types->push_back(7);
    CHECK(names(refusal(made), "tokenizer.ggml.token_type", "7", "0 to 6"));
    made.types->back() = -1;
    CHECK(names(refusal(made), "tokenizer.ggml.token_type", "-1"));
  }

  TEST_CASE("a vocabulary that is empty or absent is refused") {
    GgufTokenizer made;
    CHECK(names(refusal(made), "tokenizer.ggml.tokens", "0 tokens"));
    const MemoryFile file(GgufBytes().bytes());
    const Gguf empty = read_gguf(file.path());
    CHECK(names(error_of<FormatError>([&] { read_gguf_vocabulary(empty); }), "tokenizer.ggml.tokens is missing"));
  }

  TEST_CASE("the id of a key is in range and has a text") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.add("");
    made.ids["bos_token_id"] = 259;
    const auto found = [](const GgufTokenizer& tokenizer) {
      const Gguf file = tokenizer.read();
      return find_gguf_token(file, read_gguf_vocabulary(file), "tokenizer.ggml.bos_token_id");
    };
    CHECK(found(made) == 259);
    made.ids["bos_token_id"] = 260;
    CHECK(names(error_of<FormatError>([&] { found(made); }), "bos_token_id", "260", "without a text"));
    made.ids["bos_token_id"] = 261;
    CHECK(names(error_of<FormatError>([&] { found(made); }), "bos_token_id", "261", "0 to 260"));
    made.ids.clear();
    CHECK(!found(made));
  }
}
