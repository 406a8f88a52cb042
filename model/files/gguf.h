// GGUF: metadata and named tensors in one file, versions 2 and 3, little-endian (github.com/ggml-org/ggml,
// docs/gguf.md).
//
// Reading maps the file and checks everything that it claims before anything is allocated: counts and lengths against
// the bytes left, offsets against each other (no hole, no overlap, the file's own order), tensors against the file's
// size. Strings, arrays and tensors stay where they lie in the file. What a key or a tensor *means* is not known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/files/mapped_file.h"
#include "model/files/stored_tensor.h"

namespace kv {

// A value of the metadata that knows its key and its place, so that a wrong one is reported as
// "model.gguf: llama.block_count (at byte 412) is 0, expected 1 to 1024".
class GgufValue {
 public:
  // The numbers are the format's own.
  enum class Type : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

  std::string_view key() const { return key_; }
  Type type() const { return type_; }
  Type element_type() const { return element_type_; }  // of an array
  int64_t size() const { return size_; }               // elements of an array, bytes of a text, 1 otherwise
  bool is_array() const { return type() == Type::array; }
  bool is_text() const { return type() == Type::text; }

  // Each throws FormatError with key, place, expected and actual when the value is anything else. Integers of every
  // width are integers: writers do not agree about the width of a count.
  int64_t integer(int64_t least, int64_t most) const;
  double number() const;  // f32, f64 or an integer; finite. An f32 gives the shortest decimal that reads as it: 1e-5
  bool boolean() const;   // every byte but 0 is true, as in the reference reader
  std::string_view text() const;                                     // any bytes, UTF-8 or not
  std::vector<int64_t> integers(int64_t least, int64_t most) const;  // of an array
  std::vector<float> numbers() const;                                // of an array of f32 or f64
  std::vector<std::string_view> texts() const;                       // of an array

  // The value for a person: `12`, `the text "gpt2"`, `an array of 49,152 texts`; long ones are cut.
  std::string shown() const;
  // Throws FormatError "FILE: KEY (at byte N) WHAT".
  [[noreturn]] void fail(const std::string& what) const;
  // The same about element `index` of an array.
  [[noreturn]] void fail_at(int64_t index, const std::string& what) const;

 private:
  friend class GgufReader;  // which has checked that the value lies in the file

  bool is_array_of(Type element) const { return is_array() && element_type_ == element; }
  const std::byte* payload() const;  // the characters of a text, the first element of an array

  std::shared_ptr<const std::string> path_;
  std::string_view key_;
  const std::byte* at_ = nullptr;  // where the value begins, behind its type
  int64_t file_offset_ = 0;        // of that byte, from the start of the file
  Type type_ = Type::u8;
  Type element_type_ = Type::u8;
  int64_t size_ = 1;
};

struct GgufTensor {
  std::string name;
  StoredTensor stored;  // dtype is the name of the ggml type; the file lists the fastest dimension first, this the last
};

struct Gguf {
  std::shared_ptr<const MappedFile> file;  // keeps all views mapped
  std::string path;
  int64_t version = 0;
  int64_t alignment = 32;
  std::vector<GgufValue> metadata;                   // in the file's order; keys are unique
  std::vector<GgufTensor> tensors;                   // in the file's order; names are unique
  std::map<std::string_view, size_t> key_places;     // in `metadata`
  std::map<std::string_view, size_t> tensor_places;  // in `tensors`

  const GgufValue* find(std::string_view key) const;  // null: absent
  const GgufValue& at(std::string_view key) const;    // throws FormatError "FILE: KEY is missing"
  const GgufTensor* find_tensor(std::string_view name) const;
};

// Whether a regular file begins as GGUF files do, or is called .gguf: some stores give files names without an ending.
bool is_gguf(const std::filesystem::path& path);

// Throws FormatError that names the file, the key or tensor, and the byte.
Gguf read_gguf(const std::filesystem::path& path);

}  // namespace kv
