#include "model/files/hf_tokenizer.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/error.h"
#include "model/files/byte_level.h"
#include "model/random.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;
using kv::test::read_whole_file;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

using Ids = std::vector<int32_t>;

// A small tokenizer.json: 256 bytes (their ids are their values), "th", "the", " the", and <|end|> as 259.
json small_tokenizer() {
  json vocabulary = json::object();
  for (int byte = 0; byte < 256; ++byte) vocabulary[byte_level_character(static_cast<uint8_t>(byte))] = byte;
  vocabulary["th"] = 256;
  vocabulary["the"] = 257;
  vocabulary["\u0120the"] = 258;
  return {{"version", "1.0"},
          {"added_tokens",
           {{{"id", 259},
             {"content", "<|end|>"},
             {"single_word", false},
             {"lstrip", false},
             {"rstrip", false},
             {"normalized", false},
             {"special", true}}}},
          {"normalizer", nullptr},
          {"pre_tokenizer",
           {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}}},
          {"post_processor", nullptr},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"vocab", vocabulary},
            {"merges", {"t h", "th e", "\u0120 the"}}}}};
}

Tokenizer read(const json& document) {
  const TemporaryFolder folder;
  return read_hf_tokenizer(folder.write("tokenizer.json", document.dump()));
}

std::string refusal(const json& document) {
  return error_of<FormatError>([&] { read(document); });
}

// The small tokenizer with one value replaced, by its JSON pointer.
json with(const char* pointer, const json& value) {
  json document = small_tokenizer();
  document[json::json_pointer(pointer)] = value;
  return document;
}

json without(const char* key) {
  json document = small_tokenizer();
  document.erase(key);
  return document;
}

Ids encoded(const json& document, std::string_view text) { return read(document).encode(text, Specials::parse); }

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("words are merged as the file says, with the byte alphabet translated") {
    const Tokenizer tokenizer = read(small_tokenizer());
    CHECK(tokenizer.size() == 260);
    CHECK(tokenizer.encode("the the\n", Specials::parse) == Ids{257, 258, '\n'});
    CHECK(tokenizer.encode("<|end|> the", Specials::parse) == Ids{259, 258});
    CHECK(tokenizer.token_bytes(258) == " the");
    CHECK(tokenizer.is_special(259));
    CHECK(!tokenizer.begin_token());
  }

  TEST_CASE("merges may be strings or pairs") {
    const json pairs = json::parse(R"([["t", "h"], ["th", "e"], ["\u0120", "the"]])");
    CHECK(encoded(with("/model/merges", pairs), "the the") == Ids{257, 258});
  }

  TEST_CASE("digits stand alone where the file says so") {
    const json steps = {{"type", "Sequence"},
                        {"pretokenizers",
                         {{{"type", "Digits"}, {"individual_digits", true}},
                          {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}}}};
    json document = with("/pre_tokenizer", steps);
    document["model"]["vocab"]["12"] = 260;
    document["model"]["merges"].push_back("1 2");
    CHECK(encoded(document, "12") == Ids{'1', '2'});
    document["pre_tokenizer"]["pretokenizers"][0]["individual_digits"] = false;
    CHECK(encoded(document, "12") == Ids{260});
  }

  TEST_CASE("Split steps cut by pattern or text, and by what becomes of a match") {
    const auto document = [](const json& pattern, const char* behaviour, bool invert) {
      return with("/pre_tokenizer",
                  {{"type", "Sequence"},
                   {"pretokenizers",
                    {{{"type", "Split"}, {"pattern", pattern}, {"behavior", behaviour}, {"invert", invert}},
                     {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}});
    };
    CHECK(encoded(document({{"Regex", "e"}}, "Isolated", false), "the") == Ids{256, 'e'});
    CHECK(encoded(document({{"String", "t"}}, "MergedWithPrevious", false), "the") == Ids{'t', 'h', 'e'});
    CHECK(encoded(document({{"Regex", "h"}}, "Removed", false), "the") == Ids{'t', 'e'});
    CHECK(encoded(document({{"Regex", "h"}}, "Removed", true), "the") == Ids{'h'});
    CHECK(names(refusal(document({{"Regex", "h"}}, "Contiguous", false)), "pre_tokenizer.pretokenizers[0].behavior",
                "Contiguous"));
    CHECK(names(refusal(document({{"Regex", "(h"}}, "Isolated", false)), "pretokenizers[0].pattern", "byte 2"));
    CHECK(names(refusal(document({{"Glob", "h"}}, "Isolated", false)), "pattern.String is missing"));
  }

  TEST_CASE("the prefix space and the words of ByteLevel are on unless the file switches them off") {
    CHECK(encoded(with("/pre_tokenizer", {{"type", "ByteLevel"}}), "the") == Ids{258});
    CHECK(encoded(with("/pre_tokenizer/use_regex", false), "a the") == Ids{'a', 258});
  }

  TEST_CASE("whole words come first with ignore_merges") {
    json document = small_tokenizer();
    document["model"]["vocab"]["xyz"] = 260;
    CHECK(encoded(document, "xyz") == Ids{'x', 'y', 'z'});
    document["model"]["ignore_merges"] = true;
    CHECK(encoded(document, "xyz") == Ids{260});
  }

  TEST_CASE("the post-processor's token in front is the begin token") {
    const json front = {{"SpecialToken", {{"id", "<|end|>"}, {"type_id", 0}}}},
               text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
    const auto with_template = [&](const json& single) {
      return with("/post_processor",
                  {{"type", "TemplateProcessing"},
                   {"single", single},
                   {"special_tokens", {{"<|end|>", {{"id", "<|end|>"}, {"ids", {259}}, {"tokens", {"<|end|>"}}}}}}});
    };
    CHECK(read(with_template({front, text})).begin_token() == 259);
    CHECK(!read(with_template(json::array({text}))).begin_token());
    CHECK(names(refusal(with_template({text, front})), "post_processor.single"));
    CHECK(names(refusal(with_template({front, text, front})), "post_processor.single"));
    CHECK(names(refusal(with("/post_processor", {{"type", "BertProcessing"}})), "post_processor", "BertProcessing"));
    CHECK(!read(with("/post_processor", {{"type", "ByteLevel"}})).begin_token());
    const json sequence = {{"type", "Sequence"},
                           {"processors", {{{"type", "ByteLevel"}}, with_template({front, text})["post_processor"]}}};
    CHECK(read(with("/post_processor", sequence)).begin_token() == 259);
  }

  TEST_CASE("an id that two tokens share, or that is beyond all measure, is refused; holes are not") {
    CHECK(names(refusal(with("/model/vocab/th", 257)), "model.vocab", "two tokens"));
    CHECK(names(refusal(with("/model/vocab/th", 1'000'000'000)), "model.vocab.th is 1000000000"));
    CHECK(names(refusal(with("/model/vocab/th", -1)), "model.vocab.th is -1"));
    CHECK(names(refusal(with("/model/vocab/th", "256")), "model.vocab.th", "string"));
    const Tokenizer holes = read(with("/added_tokens/0/id", 300));
    CHECK(holes.size() == 301);
    CHECK(!holes.has_token(270));
    CHECK(holes.token_label(270) == "<id 270>");
  }

  TEST_CASE("an added token may stand in the vocabulary as well") {
    json document = small_tokenizer();
    document["model"]["vocab"]["<|end|>"] = 259;
    CHECK(encoded(document, "<|end|>") == Ids{259});
  }

  TEST_CASE("merges of tokens that do not exist are refused") {
    CHECK(names(refusal(with("/model/merges/0", "t q")), "model.merges[0]", "\"tq\""));
    CHECK(names(refusal(with("/model/merges/0", "tq")), "model.merges[0]", "two tokens"));
    CHECK(names(refusal(with("/model/merges/0", {"t"})), "model.merges[0]", "1 tokens"));
    CHECK(names(refusal(with("/model/merges/0", 7)), "model.merges[0]", "array"));
  }

  TEST_CASE("an NFC normalizer composes letters and their marks; without one they stay as they are") {
    const std::string apart = "e\u0301 \u1100\u1161", composed = "\u00e9 \uac00";  // an accent; a Hangul syllable
    const Tokenizer nfc = read(with("/normalizer", {{"type", "NFC"}})), plain = read(small_tokenizer());
    CHECK(nfc.encode(apart, Specials::parse) == plain.encode(composed, Specials::parse));
    CHECK(nfc.decode(nfc.encode(apart, Specials::parse)) == composed);
    CHECK(plain.decode(plain.encode(apart, Specials::parse)) == apart);
    CHECK(nfc.encode("", Specials::parse).empty());
    CHECK(nfc.encode("the<|end|>the", Specials::parse) == plain.encode("the<|end|>the", Specials::parse));
  }

  TEST_CASE("what we do not know is refused by name") {
    CHECK(names(refusal(with("/model/type", "WordPiece")), "model", "WordPiece"));
    CHECK(names(refusal(with("/model/dropout", 0.1)), "model.dropout is 0.1"));
    CHECK(names(refusal(with("/model/byte_fallback", true)), "model.byte_fallback"));
    CHECK(names(refusal(with("/model/end_of_word_suffix", "</w>")), "model.end_of_word_suffix", "</w>"));
    CHECK(names(refusal(with("/normalizer", {{"type", "NFKC"}})), "normalizer", "NFKC"));
    CHECK(names(refusal(with("/normalizer", {{"type", "a\nb"}})), R"(is of type a\x0ab; kvlab reads NFC)"));
    CHECK(names(refusal(with("/model/merges/0", "t \n")), R"(needs "\x0a", which is not in the vocabulary)"));
    CHECK(refusal(with("/normalizer", {{"type", "Sequence"}, {"normalizers", json::array()}})) == "(no error)");
    CHECK(names(refusal(with("/decoder", {{"type", "Metaspace"}})), "decoder", "Metaspace"));
    CHECK(names(refusal(with("/pre_tokenizer", {{"type", "Metaspace"}})), "pre_tokenizer", "Metaspace"));
    CHECK(names(refusal(with("/pre_tokenizer", {{"type", "Digits"}})), "pre_tokenizer", "ByteLevel"));
    CHECK(names(refusal(with("/pre_tokenizer", nullptr)), "pre_tokenizer is null"));
    CHECK(names(refusal(with("/added_tokens/0/lstrip", true)), "added_tokens[0].lstrip"));
    CHECK(names(refusal(with("/added_tokens/0/content", "")), "added_tokens[0].id"));
    CHECK(names(refusal(with("/model/unk_token", "<unk>")), "model.unk_token", "<unk>"));
    CHECK(names(refusal(without("model")), "model is missing"));
    CHECK(names(refusal(without("decoder")), "decoder is missing"));
    CHECK(names(error_of<FormatError>([] { read_hf_tokenizer("/nowhere/tokenizer.json"); }), "/nowhere/tokenizer.json",
                "no such file"));
  }

  TEST_CASE("a damaged file is read or refused, and nothing else happens") {
    // Bytes have no token here unless merges need them: a short file, where damage hits what matters.
    json document = small_tokenizer();
    document["model"]["vocab"] = {{"t", 0}, {"h", 1}, {"e", 2}, {"th", 3}, {"the", 4}, {"\u0120", 5}, {"\u0120the", 6}};
    document["added_tokens"][0]["id"] = 7;
    const std::string whole = document.dump();
    const TemporaryFolder folder;
    Random random(41);
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = whole;
      damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
      const auto path = folder.write("tokenizer.json", damaged);
      error_of<FormatError>([&] {
        const Tokenizer tokenizer = read_hf_tokenizer(path);
        error_of<std::invalid_argument>([&] { tokenizer.encode("the the<|end|>", Specials::parse); });
      });
    }
    for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
      const auto path = folder.write("tokenizer.json", whole.substr(0, bytes));
      REQUIRE(error_of<FormatError>([&] { read_hf_tokenizer(path); }) != "(no error)");
    }
  }

  TEST_CASE("the trained tokenizer gives the ids that Hugging Face's gives, and every text comes back") {
    const std::filesystem::path source = KVLAB_SOURCE_DIR;
    const Tokenizer tokenizer = read_hf_tokenizer(source / "checkpoints/austen-mha/tokenizer.json");
    const json cases = json::parse(read_whole_file(source / "tests/goldens/tokenizer_cases.json"));
    CHECK(cases.size() >= 50);
    for (const json& example : cases) {
      const auto text = example.at("text").get<std::string>();
      CAPTURE(text);
      CHECK(tokenizer.encode(text, Specials::parse) == example.at("ids").get<Ids>());
      CHECK(tokenizer.decode(example.at("ids").get<Ids>()) == text);
    }
  }
}
