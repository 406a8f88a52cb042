// Small tokenizers as the metadata of GGUF files, for tests to change and to read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/files/byte_level.h"
#include "model/files/gguf.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/memory_file.h"

namespace kv::test {

// A file whose keys are tokenizer.ggml.*; each can be replaced or taken away.
struct GgufTokenizer {
  std::vector<std::string> tokens;
  std::optional<std::vector<int32_t>> types;
  std::optional<std::vector<float>> scores;
  std::optional<std::vector<std::string>> merges;
  std::map<std::string, std::string> texts;  // model, pre, ...
  std::map<std::string, int32_t> ids;        // bos_token_id, ...
  std::map<std::string, bool> switches;      // add_bos_token, ...

  int32_t add(const std::string& token, int32_t type = 1, float score = 0) {
    tokens.push_back(token);
    if (types) types->push_back(type);
    if (scores) scores->push_back(score);
    return static_cast<int32_t>(tokens.size()) - 1;
  }

  std::string bytes() const {
    GgufBytes file;
    const std::string prefix = "tokenizer.ggml.";
    for (const auto& [name, value] : texts) file.text_key(prefix + name, value);
    for (const auto& [name, value] : ids) file.u32_key(prefix + name, static_cast<uint32_t>(value));
    for (const auto& [name, value] : switches)
      file.key(prefix + name, boolean, number_bytes(static_cast<uint8_t>(value)));
    file.key(prefix + "tokens", array, texts_bytes(tokens));
    if (types) file.key(prefix + "token_type", array, numbers_bytes(i32, *types));
    if (scores) file.key(prefix + "scores", array, numbers_bytes(f32, *scores));
    if (merges) file.key(prefix + "merges", array, texts_bytes(*merges));
    return file.bytes();
  }

  Gguf read() const { return read_gguf(MemoryFile(bytes()).path()); }  // the mapping outlives the file
};

// Ids 0 to 255 are the bytes, 256 "th", 257 "the", 258 " the", and 259 is the control token <|end|>.
inline GgufTokenizer byte_level_tokenizer(const std::string& pre) {
  GgufTokenizer made;
  made.types.emplace();
  for (int byte = 0; byte < 256; ++byte) made.add(byte_level_character(static_cast<uint8_t>(byte)));
  for (const char* token : {"th", "the", "\u0120the"}) made.add(token);
  made.add("<|end|>", 3);
  made.merges = {"t h", "th e", "\u0120 the"};
  made.texts = {{"model", "gpt2"}, {"pre", pre}};
  return made;
}

// <unk> 0, <s> 1, </s> 2, the bytes from 3 on, then " a b c ab bc abc" with scores that prefer "bc", and " ab" before
// all.
inline GgufTokenizer sentencepiece_tokenizer() {
  GgufTokenizer made;
  made.types.emplace();
  made.scores.emplace();
  made.add("<unk>", 2);
  made.add("<s>", 3);
  made.add("</s>", 3);
  for (int byte = 0; byte < 256; ++byte) {
    char spelling[8];
    std::snprintf(spelling, sizeof spelling, "<0x%02X>", byte);
    made.add(spelling, 6);
  }
  float score = -1;
  for (const char* token : {"\u2581ab", "bc", "ab", "abc", "\u2581", "a", "b", "c"}) made.add(token, 1, score--);
  made.texts = {{"model", "llama"}};
  made.ids = {{"bos_token_id", 1}, {"eos_token_id", 2}, {"unknown_token_id", 0}};
  return made;
}

}  // namespace kv::test
