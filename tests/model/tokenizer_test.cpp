#include "model/tokenizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "model/random.h"
#include "model/utf8_stream.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

using Ids = std::vector<int32_t>;
using Pieces = std::vector<std::string>;

constexpr int32_t kEnd = 256, kEndTwice = 257, kPlain = 258, kFirstMerge = 260;  // 259 has no token

// The 256 bytes, three added tokens, and the merges a test asks for, each as the two texts that it joins.
TokenizerParts parts_with(const std::vector<std::pair<std::string, std::string>>& merges = {}) {
  TokenizerParts parts;
  for (int byte = 0; byte < 256; ++byte) {
    parts.tokens.push_back(std::string(1, static_cast<char>(byte)));
    parts.byte_tokens[static_cast<size_t>(byte)] = byte;
  }
  parts.tokens.insert(parts.tokens.end(), {"<|end|>", "<|end|><|end|>", "foo", ""});
  parts.added = {{kEnd, true}, {kEndTwice, true}, {kPlain, false}};
  const auto id_of = [&](const std::string& text) {
    for (size_t id = 0; id < parts.tokens.size(); ++id)
      if (parts.tokens[id] == text) return static_cast<int32_t>(id);
    throw std::logic_error("no token " + text);
  };
  for (const auto& [left, right] : merges) {
    parts.tokens.push_back(left + right);
    parts.merges.push_back({id_of(left), id_of(right), static_cast<int32_t>(parts.tokens.size()) - 1});
  }
  return parts;
}

Tokenizer tokenizer_with(const std::vector<std::pair<std::string, std::string>>& merges = {}) {
  return Tokenizer(parts_with(merges));
}

std::vector<std::string> pieces(const Tokenizer& tokenizer, std::string_view text,
                                Specials specials = Specials::parse) {
  std::vector<std::string> list;
  for (const int32_t id : tokenizer.encode(text, specials)) list.push_back(tokenizer.token_bytes(id));
  return list;
}

// The merges as their definition says: look for the best pair again and again.
Ids merged_slowly(const TokenizerParts& parts, std::string_view word) {
  Ids ids;
  for (const char c : word) ids.push_back(parts.byte_tokens[static_cast<unsigned char>(c)]);
  for (;;) {
    size_t best = parts.merges.size(), where = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i)
      for (size_t rank = 0; rank < best; ++rank)
        if (parts.merges[rank].left == ids[i] && parts.merges[rank].right == ids[i + 1]) best = rank, where = i;
    if (best == parts.merges.size()) return ids;
    ids[where] = parts.merges[best].result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

// Characters with scores, and the joined texts that a test asks for; kEnd to kPlain are added. No byte tokens.
TokenizerParts scored_parts(const std::vector<std::pair<std::string, float>>& scored) {
  TokenizerParts parts;
  parts.byte_tokens.fill(-1);
  const auto add = [&](const std::string& text, float score) {
    parts.tokens.push_back(text);
    parts.scores.push_back(score);
  };
  add("<unk>", TokenizerParts::kNeverJoined);
  for (const char* character : {" ", "a", "b", "c"}) add(character, 0);
  for (const auto& [text, score] : scored) add(text, score);
  parts.unknown = 0;
  parts.added = {{0, true}};
  return parts;
}

// The joins as their definition says: look for the best pair again and again.
Pieces joined_slowly(const std::vector<std::pair<std::string, float>>& scored, std::string_view word) {
  Pieces symbols;
  for (const char c : word) symbols.emplace_back(1, c);
  for (;;) {
    float best = TokenizerParts::kNeverJoined;
    size_t where = symbols.size();
    for (size_t i = 0; i + 1 < symbols.size(); ++i)
      for (const auto& [text, score] : scored)
        if (text == symbols[i] + symbols[i + 1] && score > best) best = score, where = i;
    if (where == symbols.size()) return symbols;
    symbols[where] += symbols[where + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("the pair that was learnt first is joined first, leftmost among equals") {
    const Tokenizer tokenizer = tokenizer_with({{"b", "c"}, {"a", "b"}, {"a", "a"}});
    CHECK(pieces(tokenizer, "abc") == Pieces{"a", "bc"});
    CHECK(pieces(tokenizer, "ab") == Pieces{"ab"});
    CHECK(pieces(tokenizer, "aaa") == Pieces{"aa", "a"});
    CHECK(pieces(tokenizer, "aaaa") == Pieces{"aa", "aa"});
    CHECK(pieces(tokenizer, "aaab") == Pieces{"aa", "ab"});  // joined in order of rank, not of place
  }

  TEST_CASE("merges build on merges") {
    const Tokenizer tokenizer = tokenizer_with({{"a", "b"}, {"ab", "c"}, {"abc", "abc"}});
    CHECK(pieces(tokenizer, "abcabcab") == Pieces{"abcabc", "ab"});
  }

  TEST_CASE("the heap joins as the definition does, on random words and merges") {
    Random random(31);
    for (int round = 0; round < 300; ++round) {
      std::vector<std::pair<std::string, std::string>> merges;
      Pieces known = {"a", "b", "c"};
      while (merges.size() < 12) {
        const std::string left = known[static_cast<size_t>(random.below(std::ssize(known)))];
        const std::string right = known[static_cast<size_t>(random.below(std::ssize(known)))];
        if (std::find(known.begin(), known.end(), left + right) != known.end()) continue;
        merges.emplace_back(left, right);
        known.push_back(left + right);
      }
      const TokenizerParts parts = parts_with(merges);
      const Tokenizer tokenizer(parts);
      for (int words = 0; words < 10; ++words) {
        std::string word;
        for (int64_t left = random.below(40); left > 0; --left) word += static_cast<char>('a' + random.below(3));
        REQUIRE(tokenizer.encode(word, Specials::ignore) == merged_slowly(parts, word));
      }
    }
  }

  TEST_CASE("a word of a million letters is joined whole") {
    std::vector<std::pair<std::string, std::string>> merges;
    for (std::string half = "a"; half.size() < 1024; half += half) merges.emplace_back(half, half);
    const Tokenizer tokenizer = tokenizer_with(merges);
    const std::string word(1 << 20, 'a');
    const Ids ids = tokenizer.encode(word, Specials::parse);
    CHECK(ids.size() == 1024);
    CHECK(tokenizer.decode(ids) == word);
  }

  TEST_CASE("special tokens are cut out first, the longest first, and the text around them stands alone") {
    const Tokenizer tokenizer = tokenizer_with({{"|", ">"}, {">", "a"}, {"a", "<"}});
    CHECK(tokenizer.encode("<|end|>", Specials::parse) == Ids{kEnd});
    CHECK(tokenizer.encode("<|end|><|end|><|end|>", Specials::parse) == Ids{kEndTwice, kEnd});
    CHECK(pieces(tokenizer, "a<|end|>a") == Pieces{"a", "<|end|>", "a"});  // neither "a<" nor ">a"
    CHECK(pieces(tokenizer, "<|end") == Pieces{"<", "|", "e", "n", "d"});
  }

  TEST_CASE(
      "with specials ignored their text is ordinary text; added tokens that are not special are found all the same") {
    const Tokenizer tokenizer = tokenizer_with();
    CHECK(tokenizer.encode("<|end|>", Specials::ignore).size() == 7);
    CHECK(tokenizer.encode("xfoo", Specials::ignore) == Ids{'x', kPlain});
    CHECK(tokenizer.is_special(kEnd));
    CHECK(!tokenizer.is_special(kPlain));
    CHECK(tokenizer.special_tokens() == Ids{kEnd, kEndTwice});
  }

  TEST_CASE("decode(encode(x)) is x, white space and all") {
    TokenizerParts parts = parts_with({{" ", "a"}, {" ", " "}, {"\n", " "}, {"\xF0", "\x9F"}});
    parts.pre_tokenizer.add_split(PreTokenizer::kGpt2Pattern, PreTokenizer::Behaviour::isolated);
    const Tokenizer tokenizer(std::move(parts));
    for (const std::string text : {"a", " a", "  a", "\n a", "", "\t", "\t\ta", "a ", "a  ", " \n ", "<|end|> a<|end|>",
                                   "foo", "\U0001F600", "\u010F", "a\r\nb", "\u4F60\u597D"})
      for (const Specials specials : {Specials::parse, Specials::ignore}) {
        CAPTURE(text);
        CHECK(tokenizer.decode(tokenizer.encode(text, specials)) == text);
      }
    CHECK(tokenizer.encode("", Specials::parse).empty());
    const std::string zero("a\0b", 3);
    CHECK(tokenizer.decode(tokenizer.encode(zero, Specials::parse)) == zero);
  }

  TEST_CASE("text that is not UTF-8 is refused, with the byte") {
    const Tokenizer tokenizer = tokenizer_with();
    const auto refusal = [&](std::string_view text) {
      return error_of<std::invalid_argument>([&] { tokenizer.encode(text, Specials::parse); });
    };
    CHECK(names(refusal("ab\xFF"), "UTF-8", "byte 2"));
    CHECK(names(refusal("\xF0\x9F"), "byte 0"));
    CHECK(names(refusal("a\xED\xA0\x80"), "byte 1"));
  }

  TEST_CASE("a byte without a token is an error that names it, or the unknown token where there is one") {
    TokenizerParts parts = parts_with();
    parts.byte_tokens['x'] = -1;
    CHECK(
        names(error_of<std::invalid_argument>([&] { Tokenizer(parts).encode("axe", Specials::parse); }), "78", "axe"));
    parts.unknown = kEnd;
    CHECK(Tokenizer(parts).encode("axe", Specials::parse) == Ids{'a', kEnd, 'e'});
  }

  TEST_CASE("the begin token comes once, however often it is asked for") {
    TokenizerParts parts = parts_with();
    CHECK(Tokenizer(parts).with_begin({1, 2}) == Ids{1, 2});
    parts.begin = kEnd;
    const Tokenizer tokenizer(std::move(parts));
    CHECK(tokenizer.begin_token() == kEnd);
    CHECK(tokenizer.with_begin({1, 2}) == Ids{kEnd, 1, 2});
    CHECK(tokenizer.with_begin(tokenizer.with_begin({1, 2})) == Ids{kEnd, 1, 2});
    CHECK(tokenizer.with_begin(tokenizer.encode("<|end|>a", Specials::parse)) == Ids{kEnd, 'a'});
    CHECK(tokenizer.with_begin({}) == Ids{kEnd});
  }

  TEST_CASE("an id without a token shows a placeholder: embeddings have spare rows") {
    const Tokenizer tokenizer = tokenizer_with();
    CHECK(tokenizer.size() == 260);
    for (const int32_t id : {259, 260, 151700, -1}) {
      CHECK(!tokenizer.has_token(id));
      CHECK(tokenizer.token_bytes(id) == "<id " + std::to_string(id) + ">");
      CHECK(tokenizer.token_label(id) == "<id " + std::to_string(id) + ">");
    }
    CHECK(tokenizer.decode(Ids{'a', 151700, 'b'}) == "a<id 151700>b");
  }

  TEST_CASE("labels can be shown: pieces of characters as bytes, control characters escaped") {
    TokenizerParts parts = parts_with();
    const std::vector<std::pair<std::string, std::string>> labels = {{"\xF0\x9F\x98", "<F0 9F 98>"},
                                                                     {"\x80", "<80>"},
                                                                     {" the", " the"},
                                                                     {"a\xC4", "a<C4>"},
                                                                     {"\x80z", "<80>z"},
                                                                     {"\n\t\r", "\\n\\t\\r"},
                                                                     {"\a", "<07>"},
                                                                     {"\x7F", "<7F>"},
                                                                     {"\u0085", "<C2 85>"},
                                                                     {"a\u2028", "a<E2 80 A8>"},
                                                                     {"\U0001F600", "\U0001F600"},
                                                                     {std::string(1, '\0'), "<00>"},
                                                                     {"\u010F", "\u010F"},
                                                                     {"<|x|>", "<|x|>"}};
    for (const auto& [bytes, label] : labels) parts.tokens.push_back(bytes);
    const Tokenizer tokenizer(std::move(parts));
    for (size_t i = 0; i < labels.size(); ++i)
      CHECK(tokenizer.token_label(static_cast<int32_t>(260 + i)) == labels[i].second);
    CHECK(tokenizer.token_label(kEnd) == "<|end|>");
  }

  TEST_CASE("tokens streamed one by one give the whole text") {
    const Tokenizer tokenizer = tokenizer_with({{"\xF0", "\x9F"}, {"\xF0\x9F", "\x98"}});
    const std::string text = "a\U0001F600\u010F\U0001F923";
    Utf8Stream stream;
    std::string shown;
    for (const int32_t id : tokenizer.encode(text, Specials::parse)) shown += stream.push(tokenizer.token_bytes(id));
    CHECK(shown == text);
    CHECK(stream.flush().empty());
  }

  TEST_CASE("a word that is a token needs no merges where the file says so") {
    TokenizerParts parts = parts_with({{"a", "b"}});
    parts.tokens.push_back("abx");
    CHECK(Tokenizer(parts).encode("abx", Specials::parse) == Ids{kFirstMerge, 'x'});
    parts.whole_words_first = true;
    CHECK(Tokenizer(parts).encode("abx", Specials::parse) == Ids{kFirstMerge + 1});
  }

  TEST_CASE("with scores, neighbours join when their text is a token, the best score first and leftmost among equals") {
    const Tokenizer tokenizer(scored_parts({{"ab", -1}, {"bc", 5}, {"abc", -9}, {"aa", 2}, {"bb", 2}}));
    CHECK(pieces(tokenizer, "abc") == Pieces{"abc"});
    CHECK(pieces(tokenizer, "abca") == Pieces{"abc", "a"});
    CHECK(pieces(tokenizer, "bbc") == Pieces{"b", "bc"});
    CHECK(pieces(tokenizer, "aaa") == Pieces{"aa", "a"});
    CHECK(pieces(tokenizer, "aabb") == Pieces{"aa", "bb"});
  }

  TEST_CASE("the heap joins by scores as the definition does, on random words and scores") {
    Random random(32);
    for (int round = 0; round < 300; ++round) {
      std::vector<std::pair<std::string, float>> scored;
      while (scored.size() < 14) {
        std::string text;
        for (int64_t left = 2 + random.below(3); left > 0; --left) text += static_cast<char>('a' + random.below(3));
        const auto same = [&](const auto& each) { return each.first == text; };
        if (std::any_of(scored.begin(), scored.end(), same)) continue;
        scored.emplace_back(text, static_cast<float>(random.below(6)));  // with ties
      }
      const Tokenizer tokenizer(scored_parts(scored));
      for (int words = 0; words < 10; ++words) {
        std::string word;
        for (int64_t left = random.below(40); left > 0; --left) word += static_cast<char>('a' + random.below(3));
        REQUIRE(pieces(tokenizer, word) == joined_slowly(scored, word));
      }
    }
  }

  TEST_CASE("a run of characters without a token is one unknown token, and breaks no join around it") {
    const Tokenizer tokenizer(scored_parts({{"ab", 1}}));
    CHECK(tokenizer.encode("abxyzab", Specials::parse) == Ids{5, 0, 5});
    CHECK(tokenizer.encode("x<unk>y", Specials::parse) == Ids{0, 0, 0});  // the one in the middle was cut out
    CHECK(tokenizer.bytes_without_token() == 256);
    TokenizerParts parts = scored_parts({});
    parts.unknown.reset();
    CHECK(names(error_of<std::invalid_argument>([&] { Tokenizer(parts).encode("a\u00E9", Specials::parse); }),
                "byte C3", "\u00E9"));
  }

  TEST_CASE("a token that is joined from a character without one is found") {
    const Tokenizer tokenizer(scored_parts({{"xa", 1}}));
    CHECK(pieces(tokenizer, "xab") == Pieces{"xa", "b"});
  }

  TEST_CASE("a space in front stands before each stretch of text, and nothing before nothing") {
    TokenizerParts parts = scored_parts({{" a", 1}});
    parts.space_in_front = true;
    const Tokenizer tokenizer(std::move(parts));
    CHECK(pieces(tokenizer, "ab<unk>a<unk>") == Pieces{" a", "b", "<unk>", " a", "<unk>"});
    CHECK(pieces(tokenizer, "").empty());
    CHECK(pieces(tokenizer, " ") == Pieces{" ", " "});
  }

  TEST_CASE("an error about a byte stays on one line") {
    TokenizerParts parts = parts_with();
    parts.byte_tokens['\n'] = -1;
    CHECK(names(error_of<std::invalid_argument>([&] { Tokenizer(parts).encode("a\nb", Specials::parse); }), "0A",
                "a\\nb"));
  }

  TEST_CASE("bytes without a token are counted") {
    TokenizerParts parts = parts_with();
    CHECK(Tokenizer(parts).bytes_without_token() == 0);
    parts.byte_tokens['x'] = parts.byte_tokens['y'] = -1;
    CHECK(Tokenizer(parts).bytes_without_token() == 2);
  }

  TEST_CASE("parts that do not fit together are refused") {
    const auto refusal = [](const TokenizerParts& parts) {
      return error_of<std::invalid_argument>([&] { Tokenizer tokenizer(parts); });
    };
    TokenizerParts parts = parts_with();
    parts.merges.push_back({'a', 'b', 999});
    CHECK(names(refusal(parts), "merges", "999"));
    parts = parts_with();
    parts.added.push_back({259, true});
    CHECK(names(refusal(parts), "added tokens", "259"));
    parts = parts_with();
    parts.begin = -5;
    CHECK(names(refusal(parts), "begin", "-5"));
    parts = parts_with();
    parts.byte_tokens[7] = 4000;
    CHECK(names(refusal(parts), "single bytes", "4000"));
    parts = scored_parts({});
    parts.scores.pop_back();
    CHECK(names(refusal(parts), "4 scores", "5 tokens"));
    parts = scored_parts({});
    parts.merges.push_back({1, 2, 3});
    CHECK(names(refusal(parts), "1 merges"));
    parts = scored_parts({{std::string(257, 'a'), 0}});
    CHECK(names(refusal(parts), "257 bytes", "256"));
  }

  TEST_CASE("a copy stands on its own") {
    TokenizerParts parts = parts_with({{"a", "b"}});
    parts.whole_words_first = true;
    std::optional<Tokenizer> first(std::in_place, std::move(parts));
    const Tokenizer copy = *first;
    first.reset();
    CHECK(pieces(copy, "abab<|end|>") == Pieces{"ab", "ab", "<|end|>"});
    first.emplace(scored_parts({{"ab", 1}}));
    const Tokenizer other = *first;
    first.reset();
    CHECK(pieces(other, "abab") == Pieces{"ab", "ab"});
  }
}
