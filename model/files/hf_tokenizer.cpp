#include "model/files/hf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "model/error.h"
#include "model/files/byte_level.h"
#include "model/files/json.h"
#include "model/files/printable.h"

namespace kv {

namespace {

// Ids may leave holes (some vocabularies do), but not so many that a damaged id costs gigabytes.
constexpr int64_t kMaxHoles = 65536;

using Vocabulary = std::unordered_map<std::string, int32_t>;  // by spelling

std::string kind_of(const JsonValue& part) { return part.at("type").text(); }

// Refuses a field that holds anything but null, false or "".
void refuse_unless_off(const JsonValue& object, const char* key) {
  const auto found = object.find(key);
  if (!found || (found->is_boolean() && !found->boolean()) || (found->is_text() && found->text().empty())) return;
  found->fail(fmt::format("is {}, which kvlab does not apply", found->shown()));
}

// --- The pre-tokenizer ---

void add_split(const JsonValue& step, PreTokenizer& result) {
  const JsonValue behaviour = step.at("behavior");
  PreTokenizer::Behaviour kind = PreTokenizer::Behaviour::isolated;
  if (behaviour.text() == "Removed")
    kind = PreTokenizer::Behaviour::removed;
  else if (behaviour.text() == "MergedWithPrevious")
    kind = PreTokenizer::Behaviour::merged_with_previous;
  else if (behaviour.text() != "Isolated")
    behaviour.fail(fmt::format("is {}; kvlab knows Isolated, Removed and MergedWithPrevious", behaviour.shown()));
  const auto invert = step.find("invert");
  const bool inverted = invert && invert->boolean();
  const JsonValue pattern = step.at("pattern");
  try {
    if (const auto regex = pattern.find("Regex"))
      result.add_split(regex->text(), kind, inverted);
    else
      result.add_literal_split(pattern.at("String").text(), kind, inverted);
  } catch (const std::invalid_argument& error) {
    pattern.fail(std::string("cannot be used: ") + error.what());
  }
}

// Adds a step or a sequence of them; true when one of them is the byte-level alphabet.
bool add_steps(const JsonValue& step, PreTokenizer& result) {
  const std::string kind = kind_of(step);
  if (kind == "Sequence") {
    bool byte_level = false;
    for (const JsonValue& part : step.at("pretokenizers").elements()) {
      if (byte_level) part.fail("stands behind ByteLevel, where kvlab knows no step");
      byte_level = add_steps(part, result);
    }
    return byte_level;
  }
  if (kind == "Split") return add_split(step, result), false;
  if (kind == "Digits") {
    const auto individual = step.find("individual_digits");
    result.add_split(individual && individual->boolean() ? R"(\p{N})" : R"(\p{N}+)", PreTokenizer::Behaviour::isolated);
    return false;
  }
  if (kind != "ByteLevel")
    step.fail(fmt::format("is of type {}; kvlab knows ByteLevel, Digits and Split", printable(kind)));

  // Both are on unless the file says otherwise.
  const auto prefix = step.find("add_prefix_space"), regex = step.find("use_regex");
  if (!prefix || prefix->boolean()) result.add_prefix_space();
  if (!regex || regex->boolean()) result.add_split(PreTokenizer::kGpt2Pattern, PreTokenizer::Behaviour::isolated);
  return true;
}

// --- Vocabulary and merges ---

void set_token(TokenizerParts& parts, const JsonValue& id, std::string bytes) {
  const auto index = static_cast<size_t>(id.integer(0, std::ssize(parts.tokens) - 1));
  if (bytes.empty()) id.fail("is a token without text");
  if (!parts.tokens[index].empty() && parts.tokens[index] != bytes) id.fail("is the id of two tokens");
  parts.tokens[index] = std::move(bytes);
}

Vocabulary read_vocabulary(const JsonValue& document, const JsonValue& model, TokenizerParts& parts) {
  const auto entries = model.at("vocab").fields();
  const std::optional<JsonValue> added_list = document.find("added_tokens");
  const std::vector<JsonValue> added = added_list ? added_list->elements() : std::vector<JsonValue>();

  // Find the size first: ids come in no order.
  const int64_t most = std::ssize(entries) + std::ssize(added) + kMaxHoles;
  int64_t size = 0;
  for (const auto& [spelling, id] : entries) size = std::max(size, id.integer(0, most) + 1);
  for (const JsonValue& token : added) size = std::max(size, token.at("id").integer(0, most) + 1);
  parts.tokens.resize(static_cast<size_t>(size));

  // Added tokens are spelt as they are, and may stand in the vocabulary as well.
  std::vector<bool> is_added(static_cast<size_t>(size), false);
  for (const JsonValue& token : added) {
    for (const char* key : {"single_word", "lstrip", "rstrip"}) refuse_unless_off(token, key);
    const JsonValue id = token.at("id");
    set_token(parts, id, token.at("content").text());
    const auto special = token.find("special");
    parts.added.push_back({static_cast<int32_t>(id.integer(0, most)), special && special->boolean()});
    is_added[static_cast<size_t>(parts.added.back().id)] = true;
  }
  Vocabulary vocabulary;
  parts.byte_tokens.fill(-1);
  for (const auto& [spelling, id] : entries) {
    const auto token = static_cast<int32_t>(id.integer(0, most));
    vocabulary[spelling] = token;
    const std::optional<std::string> bytes = bytes_of_byte_level(spelling);
    set_token(parts, id, is_added[static_cast<size_t>(token)] || !bytes ? spelling : *bytes);
    if (bytes && bytes->size() == 1) parts.byte_tokens[static_cast<unsigned char>(bytes->front())] = token;
  }
  return vocabulary;
}

// A merge is "a b" in older files and ["a", "b"] in newer ones.
std::pair<std::string, std::string> parts_of_merge(const JsonValue& merge) {
  if (merge.is_text()) {
    const size_t space = merge.text().find(' ', 1);
    if (space == std::string::npos) merge.fail(fmt::format("is {}, expected two tokens", merge.shown()));
    return {merge.text().substr(0, space), merge.text().substr(space + 1)};
  }
  const std::vector<JsonValue> pair = merge.elements();
  if (pair.size() != 2) merge.fail(fmt::format("has {} tokens, expected two", pair.size()));
  return {pair[0].text(), pair[1].text()};
}

void read_merges(const JsonValue& model, const Vocabulary& vocabulary, TokenizerParts& parts) {
  for (const JsonValue& merge : model.at("merges").elements()) {
    const auto token = [&](const std::string& spelling) {
      const auto found = vocabulary.find(spelling);
      if (found == vocabulary.end())
        merge.fail(fmt::format("needs \"{}\", which is not in the vocabulary", printable(spelling)));
      return found->second;
    };
    const auto [left, right] = parts_of_merge(merge);
    parts.merges.push_back({token(left), token(right), token(left + right)});
  }
}

// --- What stands before every text ---

void read_post_processor(const JsonValue& step, TokenizerParts& parts) {
  const std::string kind = kind_of(step);
  if (kind == "ByteLevel") return;  // trims offsets, which we do not keep
  if (kind == "Sequence") {
    for (const JsonValue& part : step.at("processors").elements()) read_post_processor(part, parts);
    return;
  }
  if (kind != "TemplateProcessing") step.fail(fmt::format("is of type {}, which kvlab does not know", printable(kind)));
  // single: [special token,] the text
  const JsonValue single = step.at("single");
  const std::vector<JsonValue> pieces = single.elements();
  const bool begins = pieces.size() == 2 && pieces[0].contains("SpecialToken");
  if (pieces.empty() || pieces.size() > 2 || (pieces.size() == 2 && !begins) || !pieces.back().contains("Sequence"))
    single.fail("adds other tokens than one in front, which kvlab does not do");
  if (!begins) return;
  const std::string name = pieces[0].at("SpecialToken").at("id").text();
  const JsonValue ids = step.at("special_tokens").at(name).at("ids");
  if (ids.elements().size() != 1) ids.fail("is not one token");
  parts.begin = static_cast<int32_t>(ids.elements()[0].integer(0, std::ssize(parts.tokens) - 1));
}

void refuse_unknown_parts(const JsonValue& document, const JsonValue& model) {
  if (kind_of(model) != "BPE") model.fail(fmt::format("is of type {}; kvlab reads BPE", printable(kind_of(model))));
  for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback"})
    refuse_unless_off(model, key);
  const auto normalizer = document.find("normalizer");
  const bool empty_sequence = normalizer && kind_of(*normalizer) == "Sequence" &&
                              normalizer->at("normalizers").elements().empty();  // as DeepSeek-V3's
  if (normalizer && !empty_sequence && kind_of(*normalizer) != "NFC")
    normalizer->fail(fmt::format("is of type {}; kvlab reads NFC", printable(kind_of(*normalizer))));
  if (const JsonValue decoder = document.at("decoder"); kind_of(decoder) != "ByteLevel")
    decoder.fail(fmt::format("is of type {}; kvlab reads ByteLevel", printable(kind_of(decoder))));
}

}  // namespace

Tokenizer read_hf_tokenizer(const std::filesystem::path& path) {
  const JsonValue document = JsonValue::read(path);
  const JsonValue model = document.at("model");
  refuse_unknown_parts(document, model);

  TokenizerParts parts;
  if (const auto normalizer = document.find("normalizer")) parts.compose = kind_of(*normalizer) == "NFC";
  const JsonValue steps = document.at("pre_tokenizer");
  if (!add_steps(steps, parts.pre_tokenizer)) steps.fail("has no ByteLevel step; kvlab reads byte-level tokenizers");
  const Vocabulary vocabulary = read_vocabulary(document, model, parts);
  read_merges(model, vocabulary, parts);
  if (const auto whole_words = model.find("ignore_merges")) parts.whole_words_first = whole_words->boolean();
  if (const auto unknown = model.find("unk_token")) {
    const auto found = vocabulary.find(unknown->text());
    if (found == vocabulary.end())
      unknown->fail(fmt::format("is {}, which is not in the vocabulary", unknown->shown()));
    parts.unknown = found->second;
  }
  if (const auto step = document.find("post_processor")) read_post_processor(*step, parts);
  try {
    return Tokenizer(std::move(parts));
  } catch (const std::invalid_argument& error) {
    throw FormatError(path.string(), error.what());
  }
}

}  // namespace kv
