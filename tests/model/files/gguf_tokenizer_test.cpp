#include "model/files/gguf_tokenizer.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/random.h"
#include "tests/support/error_of.h"
#include "tests/support/gguf_tokenizers.h"
#include "tests/support/smollm2.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using namespace kv::test;
using nlohmann::json;

namespace {

using Ids = std::vector<int32_t>;
using Ends = std::vector<int64_t>;

Tokenizer tokenizer_of(const GgufTokenizer& made) { return read_gguf_tokenizer(made.read()); }

std::string refusal(const GgufTokenizer& made) {
  const Gguf file = made.read();
  return error_of<FormatError>([&] { read_gguf_tokenizer(file); });
}

Ids encoded(const GgufTokenizer& made, std::string_view text, Specials specials = Specials::parse) {
  return tokenizer_of(made).encode(text, specials);
}

json golden(const char* name) {
  return json::parse(read_whole_file(std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/goldens" / name));
}

// The first 12 SentencePiece tokens of text: " ab" 259, "bc" 260, "ab" 261, "abc" 262, " " 263, "a" 264, "b" 265, "c"
// 266.
constexpr int32_t kSpaceAb = 259, kBc = 260, kAbc = 262, kSpace = 263, kA = 264;
constexpr int32_t byte_token(int byte) { return 3 + byte; }

std::string sha256_of(const std::string& text) {
  const TemporaryFolder folder;
  const std::string command = "sha256sum " + folder.write("text", text).string();
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char digits[65] = {};
  const size_t read = std::fread(digits, 1, 64, pipe);
  ::pclose(pipe);
  REQUIRE(read == 64);
  return digits;
}

}  // namespace

TEST_SUITE("model/files") {
  // --- Byte-level BPE ---

  TEST_CASE("a byte-level tokenizer of a GGUF file merges as its merges say") {
    const Tokenizer tokenizer = tokenizer_of(byte_level_tokenizer("smollm"));
    CHECK(tokenizer.size() == 260);
    CHECK(tokenizer.encode("the the\n", Specials::parse) == Ids{257, 258, '\n'});
    CHECK(tokenizer.encode("<|end|> the", Specials::parse) == Ids{259, 258});
    CHECK(tokenizer.encode("<|end|>", Specials::ignore).size() == 7);
    CHECK(tokenizer.token_bytes(258) == " the");
    CHECK(tokenizer.special_tokens() == Ids{259});
    CHECK(!tokenizer.begin_token());
    CHECK(tokenizer.bytes_without_token() == 0);
  }

  TEST_CASE("tokenizer.ggml.pre decides how texts are cut into words") {
    const auto with_numbers = [](const char* pre) {
      GgufTokenizer made = byte_level_tokenizer(pre);
      for (const char* token : {"12", "123", "1234", "\u01201", "'T"}) made.add(token);  // 260 to 264
      for (const char* merge : {"1 2", "12 3", "123 4", "\u0120 1", "' T"}) made.merges->push_back(merge);
      made.ids["bos_token_id"] = 259;
      return made;
    };
    CHECK(encoded(with_numbers("smollm"), "1234 1") == Ids{'1', '2', '3', '4', ' ', '1'});
    CHECK(encoded(with_numbers("gpt-2"), "1234 1") == Ids{262, 263});
    CHECK(encoded(with_numbers("llama-bpe"), "1234 1") == Ids{261, '4', ' ', '1'});
    CHECK(encoded(with_numbers("qwen2"), "1234 1") == Ids{'1', '2', '3', '4', ' ', '1'});
    CHECK(encoded(with_numbers("gpt-2"), "N'T") == Ids{'N', '\'', 'T'});
    CHECK(encoded(with_numbers("qwen2"), "N'T") == Ids{'N', 264});
  }

  TEST_CASE("only llama-bpe, by each of its names, begins texts and takes whole words first") {
    for (const char* pre : {"smollm", "gpt-2", "qwen2", "llama-bpe", "llama3", "llama-v3"}) {
      CAPTURE(pre);
      const bool llama = std::string(pre).starts_with("llama");
      GgufTokenizer made = byte_level_tokenizer(pre);
      made.add("xyz");  // which no merge makes
      made.ids["bos_token_id"] = 259;
      CHECK(encoded(made, "xyz") == (llama ? Ids{260} : Ids{'x', 'y', 'z'}));
      CHECK(tokenizer_of(made).begin_token() == (llama ? std::optional<int32_t>(259) : std::nullopt));
      made.switches["add_bos_token"] = !llama;
      CHECK(tokenizer_of(made).begin_token() == (llama ? std::nullopt : std::optional<int32_t>(259)));
    }
  }

  TEST_CASE("only qwen2 composes letters and their marks, as Qwen's own tokenizer does") {
    for (const char* pre : {"smollm", "gpt-2", "llama-bpe", "qwen2"}) {
      GgufTokenizer made = byte_level_tokenizer(pre);
      made.switches["add_bos_token"] = false;
      const Tokenizer tokenizer = tokenizer_of(made);
      CHECK(tokenizer.decode(tokenizer.encode("e\u0301", Specials::parse)) ==
            (std::string(pre) == "qwen2" ? "\u00E9" : "e\u0301"));
    }
  }

  TEST_CASE("a pre-tokenizer that is missing or unknown is refused, and the known ones are listed") {
    GgufTokenizer made = byte_level_tokenizer("tekken");
    CHECK(names(refusal(made), "tokenizer.ggml.pre", "tekken", "smollm, gpt-2, llama-bpe, llama3, llama-v3, qwen2"));
    made.texts.erase("pre");
    CHECK(names(refusal(made), "tokenizer.ggml.pre is missing", "convert the model again", "smollm"));
  }

  TEST_CASE("a text begins with its begin token at most once") {
    GgufTokenizer made = byte_level_tokenizer("llama-bpe");
    made.ids["bos_token_id"] = 259;
    const Tokenizer tokenizer = tokenizer_of(made);
    CHECK(tokenizer.with_begin(tokenizer.encode("the", Specials::parse)) == Ids{259, 257});
    CHECK(tokenizer.with_begin(tokenizer.encode("<|end|>the", Specials::parse)) == Ids{259, 257});
    CHECK(tokenizer.with_begin({}) == Ids{259});
  }

  TEST_CASE("a begin token that is wanted and not named is an error") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.switches["add_bos_token"] = true;
    CHECK(names(refusal(made), "tokenizer.ggml.bos_token_id is missing"));
    CHECK(names(refusal(byte_level_tokenizer("llama-bpe")), "tokenizer.ggml.bos_token_id is missing"));
  }

  TEST_CASE("user-defined tokens are cut out of every text, control and unknown ones only on demand") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.add("<user>", 4);
    made.add("<?>", 2);
    CHECK(encoded(made, "<user><|end|><?>") == Ids{260, 259, 261});
    CHECK(encoded(made, "<user>", Specials::ignore) == Ids{260});
    CHECK(encoded(made, "<?>", Specials::ignore) == Ids{'<', '?', '>'});
    CHECK(tokenizer_of(made).special_tokens() == Ids{259, 261});
  }

  TEST_CASE("bytes without a token are counted, and stand for the unknown token where there is one") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.tokens['x'] = "unused x";
    made.tokens['y'] = "unused y";
    Tokenizer tokenizer = tokenizer_of(made);
    CHECK(tokenizer.bytes_without_token() == 2);
    CHECK(names(error_of<std::invalid_argument>([&] { tokenizer.encode("axe", Specials::parse); }), "byte 78", "axe"));
    made.ids["unknown_token_id"] = 259;
    made.types->at(259) = 2;
    CHECK(encoded(made, "axxe") == Ids{'a', 259, 259, 'e'});
    // Some files call a control token unknown: characters of a text must not become one.
    made.types->at(259) = 3;
    tokenizer = tokenizer_of(made);
    CHECK(names(error_of<std::invalid_argument>([&] { tokenizer.encode("axe", Specials::parse); }), "byte 78"));
  }

  TEST_CASE("merges are split at the first space behind their first byte, and need three tokens") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    const auto with_merge = [&](const char* merge) {
      made.merges = {"t h", merge};
      return refusal(made);
    };
    CHECK(with_merge("th e") == "(no error)");
    CHECK(names(with_merge("the"), "tokenizer.ggml.merges", "1", "\"the\"", "two tokens"));
    CHECK(names(with_merge(""), "tokenizer.ggml.merges", "two tokens"));
    CHECK(names(with_merge("t q"), "tokenizer.ggml.merges", "\"tq\"", "no token"));
    CHECK(names(with_merge("tt q"), "tokenizer.ggml.merges", "\"tt\""));
    CHECK(names(with_merge("t "), "tokenizer.ggml.merges", "\"\""));
    CHECK(names(with_merge("t h e"), "\"h e\""));
    made.merges.reset();
    CHECK(names(refusal(made), "tokenizer.ggml.merges is missing"));
  }

  TEST_CASE("of two tokens with one text merges mean the first, and both can be shown") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    const int32_t second = made.add("the");
    CHECK(encoded(made, "the") == Ids{257});
    CHECK(tokenizer_of(made).token_bytes(second) == "the");
  }

  TEST_CASE("tokens with an empty text are no tokens; ids that name them are refused") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.add("");
    made.add("", 3);
    CHECK(!tokenizer_of(made).has_token(260));
    CHECK(tokenizer_of(made).token_label(261) == "<id 261>");
    made.ids["unknown_token_id"] = 260;
    CHECK(names(refusal(made), "tokenizer.ggml.unknown_token_id"));
  }

  TEST_CASE("a byte-level file that names no tokenizer or another kind is refused") {
    GgufTokenizer made = byte_level_tokenizer("smollm");
    made.texts["model"] = "bert";
    CHECK(names(refusal(made), "tokenizer.ggml.model", "bert", "gpt2", "llama"));
    made.texts.erase("model");
    CHECK(names(refusal(made), "tokenizer.ggml.model is missing"));
  }

  // --- SentencePiece ---

  TEST_CASE("the joined text with the best score comes first") {
    const GgufTokenizer made = sentencepiece_tokenizer();
    CHECK(encoded(made, "ab") == Ids{kSpaceAb});       // " a" is no token, but " " and "ab" are " ab"
    CHECK(encoded(made, "abc") == Ids{kSpace, kAbc});  // "bc" goes first, then "abc"
    CHECK(encoded(made, "a bc") == Ids{kSpace, kA, kSpace, kBc});
  }

  TEST_CASE("one space is put in front of a text and behind each token that was cut out, unless the file forbids it") {
    GgufTokenizer made = sentencepiece_tokenizer();
    CHECK(encoded(made, "a") == Ids{kSpace, kA});
    CHECK(encoded(made, " a") == Ids{kSpace, kSpace, kA});
    CHECK(encoded(made, "a</s>a") == Ids{kSpace, kA, 2, kSpace, kA});
    CHECK(encoded(made, "</s></s>") == Ids{2, 2});
    CHECK(encoded(made, "").empty());
    made.switches["add_space_prefix"] = false;
    CHECK(encoded(made, "a</s> a") == Ids{kA, 2, kSpace, kA});
  }

  TEST_CASE("every text comes back with that one space in front, and exactly without it") {
    for (const bool prefix : {true, false}) {
      GgufTokenizer made = sentencepiece_tokenizer();
      made.switches["add_space_prefix"] = prefix;
      const Tokenizer tokenizer = tokenizer_of(made);
      for (const std::string text : {"a", " a", "  a", "\n a", "\t", "a\t\tb", "a ", "a  ", " ", "\U0001F600", "\u010F",
                                     "x\r\ny", "\u4F60\u597D", "<s>", "<0x41>", "\u00A0"}) {
        CAPTURE(text);
        CHECK(tokenizer.decode(tokenizer.encode(text, Specials::ignore)) == (prefix ? " " : "") + text);
      }
    }
    const Tokenizer tokenizer = tokenizer_of(sentencepiece_tokenizer());
    CHECK(tokenizer.decode(tokenizer.encode("a\u2581b", Specials::parse)) == " a b");
  }

  TEST_CASE("characters without a token are spelt in bytes, or are unknown: one token for a run of them") {
    GgufTokenizer made = sentencepiece_tokenizer();
    CHECK(encoded(made, "a\u00E9") == Ids{kSpace, kA, byte_token(0xC3), byte_token(0xA9)});
    CHECK(tokenizer_of(made).token_bytes(byte_token(0xC3)) == "\xC3");
    CHECK(tokenizer_of(made).bytes_without_token() == 0);
    for (int byte = 0; byte < 256; ++byte) made.types->at(static_cast<size_t>(byte_token(byte))) = 5;
    CHECK(tokenizer_of(made).bytes_without_token() == 256);
    CHECK(encoded(made, "\u00E9\u00E9a\u00E9") == Ids{kSpace, 0, kA, 0});
    made.ids.erase("unknown_token_id");  // then it is the token of type 2
    CHECK(encoded(made, "\u00E9") == Ids{kSpace, 0});
    made.types->at(0) = 3;
    const Tokenizer tokenizer = tokenizer_of(made);
    CHECK(names(error_of<std::invalid_argument>([&] { tokenizer.encode("aa\u00E9", Specials::parse); }), "byte C3",
                "\u00E9"));
  }

  TEST_CASE("bytes, control tokens and spaces that are spelt out are texts like any other") {
    const GgufTokenizer made = sentencepiece_tokenizer();
    CHECK(encoded(made, "<0x41>").size() == 7);  // " <0x41>", none of it a token but the space
    CHECK(encoded(made, "<s>") == Ids{1});
    CHECK(encoded(made, "<s>", Specials::ignore) == Ids{kSpace, byte_token('<'), byte_token('s'), byte_token('>')});
    CHECK(encoded(made, "A") == Ids{kSpace, byte_token('A')});
  }

  TEST_CASE("texts of a SentencePiece tokenizer begin with its begin token unless the file says otherwise") {
    GgufTokenizer made = sentencepiece_tokenizer();
    CHECK(tokenizer_of(made).begin_token() == 1);
    const Tokenizer tokenizer = tokenizer_of(made);
    CHECK(tokenizer.with_begin(tokenizer.encode("<s>a", Specials::parse)) == Ids{1, kSpace, kA});
    made.switches["add_bos_token"] = false;
    CHECK(!tokenizer_of(made).begin_token());
    made.switches.clear();
    made.ids.erase("bos_token_id");
    CHECK(names(refusal(made), "tokenizer.ggml.bos_token_id is missing"));
  }

  TEST_CASE("scores and types of a SentencePiece tokenizer have to fit its tokens") {
    GgufTokenizer made = sentencepiece_tokenizer();
    made.scores->pop_back();
    CHECK(names(refusal(made), "tokenizer.ggml.scores", "266 elements", "267 tokens"));
    made.scores->push_back(std::numeric_limits<float>::quiet_NaN());
    CHECK(names(refusal(made), "tokenizer.ggml.scores", "266", "nan"));
    made.scores.reset();
    CHECK(names(refusal(made), "tokenizer.ggml.scores is missing"));
    made = sentencepiece_tokenizer();
    made.types.reset();
    CHECK(names(refusal(made), "tokenizer.ggml.token_type is missing"));
    made = sentencepiece_tokenizer();
    made.tokens[5] = "<0x0G>";
    CHECK(names(refusal(made), "tokenizer.ggml.tokens", "<0x0G>", "<0x0A>"));
    made.tokens[5] = "<0x041>";
    CHECK(names(refusal(made), "<0x041>"));
  }

  TEST_CASE("a token too long to be looked for at every place is refused") {
    GgufTokenizer made = sentencepiece_tokenizer();
    made.add(std::string(257, 'a'));
    CHECK(names(refusal(made), "tokenizer.ggml.tokens", "257 bytes", "256"));
    made = byte_level_tokenizer("smollm");
    made.add(std::string(257, 'a'));  // made by merges only, if at all
    CHECK(refusal(made) == "(no error)");
    made.types->back() = 4;
    CHECK(names(refusal(made), "tokenizer.ggml.tokens", "257 bytes", "256"));
  }

  TEST_CASE("a text of a million letters is joined whole, by scores too") {
    GgufTokenizer made = sentencepiece_tokenizer();
    for (std::string text = "aa"; text.size() <= 256; text += text) made.add(text, 1, -100);
    const Tokenizer tokenizer = tokenizer_of(made);
    const std::string text(1 << 20, 'a');
    const Ids ids = tokenizer.encode(text, Specials::parse);
    CHECK(ids.size() == 1 + (1 << 20) / 256);
    CHECK(tokenizer.decode(ids) == " " + text);
  }

  TEST_CASE("SentencePiece's own encoder gives the same ids") {
    const json file = golden("sentencepiece_cases.json");
    for (const char* kind : {"bytes", "plain"}) {
      const json& model = file.at(kind);
      GgufTokenizer made;
      made.tokens = model.at("tokens").get<std::vector<std::string>>();
      made.scores = model.at("scores").get<std::vector<float>>();
      made.types = model.at("types").get<std::vector<int32_t>>();
      made.texts = {{"model", "llama"}, {"pre", "default"}};
      made.ids = {{"bos_token_id", 1}, {"eos_token_id", 2}, {"unknown_token_id", 0}};
      made.switches = {{"add_space_prefix", std::string(kind) == "bytes"}};
      const Tokenizer tokenizer = tokenizer_of(made);
      CHECK(model.at("cases").size() >= 45);
      for (const json& example : model.at("cases")) {
        const auto text = example.at("text").get<std::string>();
        CAPTURE(kind);
        CAPTURE(text);
        CHECK(tokenizer.encode(text, Specials::ignore) == example.at("ids").get<Ids>());
      }
    }
  }

  // --- Ends, and the chat template ---

  TEST_CASE("a generation ends at the tokens that keys name and at control tokens with a known text") {
    GgufTokenizer made = byte_level_tokenizer("smollm");  // its <|end|>, 259, is such a text
    const int32_t end = made.add("<|im_end|>", 3), text = made.add("<|endoftext|>", 3);
    made.add("</s>", 1);                             // not a control token
    const int32_t start = made.add("<|start|>", 3);  // not an end by its text
    CHECK(gguf_end_tokens(made.read()) == Ends{259, end, text});
    made.ids = {{"eos_token_id", start}, {"eot_token_id", end}, {"eom_token_id", 7}};
    CHECK(gguf_end_tokens(made.read()) == Ends{7, 259, end, text, start});
    made.ids["eos_token_id"] = 999;
    CHECK(names(error_of<FormatError>([&] { gguf_end_tokens(made.read()); }), "tokenizer.ggml.eos_token_id", "999"));
    const MemoryFile nothing(GgufBytes().bytes());
    CHECK(gguf_end_tokens(read_gguf(nothing.path())).empty());
  }

  TEST_CASE("the chat template comes with the texts of the begin and end tokens") {
    GgufBytes bytes;
    bytes.text_key("tokenizer.chat_template", "{{ bos_token }}");
    CHECK(gguf_chat_template(read_gguf(MemoryFile(bytes.bytes()).path()))->begin.empty());
    bytes.key("tokenizer.ggml.tokens", array, texts_bytes({"<s>", "</s>"}));
    bytes.u32_key("tokenizer.ggml.bos_token_id", 0).u32_key("tokenizer.ggml.eos_token_id", 1);
    const auto found = gguf_chat_template(read_gguf(MemoryFile(bytes.bytes()).path()));
    REQUIRE(found);
    CHECK(found->jinja == "{{ bos_token }}");
    CHECK(found->begin == "<s>");
    CHECK(found->end == "</s>");
    CHECK(!gguf_chat_template(byte_level_tokenizer("smollm").read()));
  }

  TEST_CASE("damaged tokenizers are read or refused, and nothing else happens") {
    Random random(43);
    for (const GgufTokenizer& made : {byte_level_tokenizer("llama-bpe"), sentencepiece_tokenizer()}) {
      const std::string whole = made.bytes();
      for (int round = 0; round < 1500; ++round) {
        std::string damaged = whole;
        for (int64_t left = 1 + random.below(3); left > 0; --left)
          damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
        const MemoryFile file(damaged);
        error_of<FormatError>([&] {
          const Gguf read = read_gguf(file.path());
          gguf_end_tokens(read);
          gguf_chat_template(read);
          const Tokenizer tokenizer = read_gguf_tokenizer(read);
          error_of<std::invalid_argument>([&] { tokenizer.encode("the abc<|end|></s>\u00E9", Specials::parse); });
        });
      }
    }
  }

  // --- The real one ---

  TEST_CASE("SmolLM2's tokenizer gives the ids that are known of it") {
    const auto path = smollm2_or_skip();
    if (!path) return;
    const Gguf file = read_gguf(*path);
    const Tokenizer tokenizer = read_gguf_tokenizer(file);
    CHECK(tokenizer.size() == 49152);
    CHECK(tokenizer.special_tokens().size() == 17);
    CHECK(tokenizer.bytes_without_token() == 21);
    CHECK(!tokenizer.begin_token());
    CHECK(gguf_end_tokens(file) == Ends{0, 2});
    CHECK(tokenizer.encode("Hello", Specials::parse) == Ids{19556});
    CHECK(tokenizer.encode("The capital of France is", Specials::parse) == Ids{504, 3575, 282, 4649, 314});
    CHECK(tokenizer.encode("def fibonacci(n):", Specials::parse) == Ids{1604, 3987, 46477, 24, 94, 727});
    const json cases = golden("smollm2_cases.json").at("cases");
    CHECK(cases.size() == 40);
    for (const json& example : cases) {
      const auto text = example.at("text").get<std::string>();
      CAPTURE(text);
      CHECK(tokenizer.encode(text, Specials::parse) == example.at("ids").get<Ids>());
      CHECK(tokenizer.decode(example.at("ids").get<Ids>()) == text);
    }
  }

  // A text of 350 characters by which github.com/ggml-org/llama.cpp (conversion/base.py) tells tokenizers apart, and
  // the hash of the list of ids that SmolLM's gives.
  TEST_CASE("SmolLM2's tokenizer passes the test by which tokenizers are told apart") {
    const auto path = smollm2_or_skip();
    if (!path) return;
    const std::string text =
        json::parse(
            R"("\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n\ud83d\ude80 (normal) \ud83d\ude36\u200d\ud83c\udf2b\ufe0f (multiple emojis concatenated) \u2705 \ud83e\udd99\ud83e\udd99 3 33 333 3333 33333 333333 3333333 33333333 3.3 3..3 3...3 \u1780\u17b6\u1793\u17cb\u178f\u17c2\u1796\u17b7\u179f\u17c1\u179f\u17a2\u17b6\u1785\ud83d\ude01 ?\u6211\u60f3\u5728apple\u5de5\u4f5c1314151\u5929\uff5e ------======= \u043d\u0435\u0449\u043e \u043d\u0430 \u0411\u044a\u043b\u0433\u0430\u0440\u0441\u043a\u0438 ''''''```````\"\"\"\"......!!!!!!?????? I've been 'told he's there, 'RE you sure? 'M not sure I'll make it, 'D you like some tea? We'Ve a'lL")")
            .get<std::string>();
    REQUIRE(sha256_of(text) == "a36179c1e2b1cfcfbfad1dc779addad2ffc778201e4cf0d538bddeafa2c526da");
    const Tokenizer tokenizer = read_gguf_tokenizer(read_gguf(*path));
    const Ids ids = tokenizer.encode(text, Specials::parse);
    std::string list = "[";
    for (const int32_t id : ids) list += (list.size() > 1 ? ", " : "") + std::to_string(id);
    CHECK(sha256_of(list + "]") == "855059429035d75a914d1eda9f10a876752e281a054a7a3d421ef0533e5b6249");
    CHECK(tokenizer.decode(ids) == text);
  }
}
