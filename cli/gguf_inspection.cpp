#include "cli/gguf_inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <numeric>
#include <utility>

#include "cli/numbers.h"
#include "model/error.h"
#include "model/files/gguf.h"
#include "model/files/gguf_config.h"
#include "model/files/gguf_tokenizer.h"
#include "model/files/load_model.h"

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;
using Type = GgufValue::Type;

// Longer arrays (a vocabulary) are told by their length.
constexpr int64_t kMostNumbers = 256, kMostTexts = 16;

constexpr const char* kTypeNames[] = {"u8",      "i8",   "u16",   "i16", "u32", "i32", "f32",
                                      "boolean", "text", "array", "u64", "i64", "f64"};
const char* name_of(Type type) { return kTypeNames[static_cast<size_t>(type)]; }

Json json_of_array(const GgufValue& value) {
  const Type element = value.element_type();
  const bool is_short = value.size() <= (element == Type::text ? kMostTexts : kMostNumbers);
  if (is_short && element == Type::text) return value.texts();
  if (is_short && (element == Type::f32 || element == Type::f64)) return value.numbers();
  if (is_short && element != Type::boolean) return value.integers(INT64_MIN, INT64_MAX);
  return {{"array_of", name_of(element)}, {"size", value.size()}};
}

Json json_of(const GgufValue& value) {
  try {
    switch (value.type()) {
      case Type::array: return json_of_array(value);
      case Type::text: return std::string(value.text());
      case Type::boolean: return value.boolean();
      case Type::f32:
      case Type::f64: return value.number();
      default: return value.integer(INT64_MIN, INT64_MAX);
    }
  } catch (const FormatError&) {  // no finite number, or beyond 64 bits with a sign
    return value.shown();
  }
}

// What an error says, without the file's name at its beginning: that is known here.
std::string reason_of(const std::exception& error, const std::string& path) {
  const std::string text = error.what();
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

// Empty when the key is absent or no text.
std::string text_at(const Gguf& file, std::string_view key) {
  const GgufValue* value = file.find(key);
  return value != nullptr && value->is_text() ? std::string(value->text()) : std::string();
}

// The reader has checked that the product fits, except where there is a 0 in it.
int64_t element_count(const Shape& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

void inspect_tensors(const Gguf& file, Inspection& found) {
  int64_t parameters = 0;
  for (const auto& [name, stored] : file.tensors) {
    std::string dtype = stored.dtype;
    std::transform(dtype.begin(), dtype.end(), dtype.begin(), [](unsigned char c) { return std::tolower(c); });
    found.tensors.push_back({name, dtype, stored.shape, std::ssize(stored.bytes)});
    if (name != "rope_freqs.weight") parameters += element_count(stored.shape);  // which is no weight
  }
  found.parameters = parameters;
}

void inspect_tokenizer(const Gguf& file, Inspection& found) {
  found.pre_tokenizer = text_at(file, "tokenizer.ggml.pre");
  if (text_at(file, "tokenizer.ggml.model") == "llama")
    found.tokenizer_kind = "SentencePiece: characters, joined by the scores of tokens";
  try {
    found.tokenizer = read_gguf_tokenizer(file);
  } catch (const FormatError& error) {
    found.no_tokenizer = reason_of(error, file.path);
  }
}

// Asks the loader itself. Its config is the one that runs; where it refuses the file, the config alone is tried.
void inspect_model(const Gguf& file, Inspection& found) {
  const auto cannot_run = [&](const std::string& reason) {
    const bool without_subject = reason.starts_with("is ") || reason.starts_with("has ");
    found.notes.push_back(fmt::format("kvlab cannot run this: {}{}.", without_subject ? "it " : "", reason));
  };
  try {
    LoadedModel model = load_model(file.path);
    found.config = std::move(model.config);
    for (std::string& note : model.notes)
      if (!note.starts_with("Without a tokenizer"))
        found.notes.push_back(std::move(note));  // it has a place of its own
    return;
  } catch (const std::bad_alloc&) {
    cannot_run("there is not enough memory for it");
  } catch (const std::exception& error) {
    cannot_run(reason_of(error, file.path));
  }
  try {
    found.config = read_gguf_config(file);
  } catch (const FormatError& error) {
    if (const std::string reason = reason_of(error, file.path); found.notes.back().find(reason) == std::string::npos)
      found.notes.push_back(fmt::format("Its config cannot be read: {}.", reason));
  }
}

}  // namespace

void inspect_gguf(const std::filesystem::path& path, Inspection& found) {
  const Gguf file = read_gguf(path);
  found.format = fmt::format("GGUF version {}, {}, tensors at multiples of {}", file.version,
                             count_of(std::ssize(file.metadata), "key"), count_of(file.alignment, "byte"));
  found.architecture = text_at(file, "general.architecture");
  found.metadata = Json::object();
  // Keys are unique: looking each up among those before it would take a file of many keys minutes.
  auto& metadata = found.metadata.get_ref<Json::object_t&>();
  for (const GgufValue& value : file.metadata) metadata.emplace_back(std::string(value.key()), json_of(value));
  inspect_tensors(file, found);
  inspect_tokenizer(file, found);
  inspect_model(file, found);
}

}  // namespace kv::cli
