// GGUF files spelt out byte by byte, so that a test can write what no writer would.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kv::test {

// The bytes of a number as they lie in a file.
template <class Number>
std::string number_bytes(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline std::string text_bytes(std::string_view text) { return number_bytes<uint64_t>(text.size()) + std::string(text); }

// The format's numbers of the types of metadata.
enum GgufType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

// The value of an array: `count` elements whose bytes are given one behind the other.
inline std::string array_bytes(uint32_t type, uint64_t count, std::string_view elements) {
  return number_bytes(type) + number_bytes(count) + std::string(elements);
}
inline std::string texts_bytes(const std::vector<std::string>& texts) {
  std::string elements;
  for (const std::string& each : texts) elements += text_bytes(each);
  return array_bytes(text, texts.size(), elements);
}
template <class Number>
std::string numbers_bytes(uint32_t type, const std::vector<Number>& numbers) {
  std::string elements;
  for (const Number number : numbers) elements += number_bytes(number);
  return array_bytes(type, numbers.size(), elements);
}

class GgufBytes {
 public:
  std::string magic = "GGUF";
  uint32_t version = 3;
  uint64_t alignment = 32;  // that tensors are laid out with; say it in general.alignment as well
  std::optional<uint64_t> tensor_count, key_count;  // what the header says, where it lies
  bool last_padding = true;                         // behind the last tensor

  // A key and its value, as bytes.
  GgufBytes& key(std::string_view name, uint32_t type, std::string_view value) {
    keys_.push_back(text_bytes(name) + number_bytes(type) + std::string(value));
    return *this;
  }
  GgufBytes& text_key(std::string_view name, std::string_view value) { return key(name, text, text_bytes(value)); }
  GgufBytes& u32_key(std::string_view name, uint32_t value) { return key(name, u32, number_bytes(value)); }

  // `sizes` lists the fastest dimension first, as the file does. The offset is the right one if none is given.
  GgufBytes& tensor(std::string_view name, const std::vector<int64_t>& sizes, uint32_t type, std::string_view bytes,
                    std::optional<uint64_t> offset = std::nullopt) {
    pad_data();
    std::string description = text_bytes(name) + number_bytes(static_cast<uint32_t>(sizes.size()));
    for (const int64_t size : sizes) description += number_bytes(size);
    tensors_.push_back(description + number_bytes(type) + number_bytes(offset.value_or(data_.size())));
    data_ += bytes;
    return *this;
  }

  std::string bytes() const {
    std::string file = magic + number_bytes(version) + number_bytes(tensor_count.value_or(tensors_.size())) +
                       number_bytes(key_count.value_or(keys_.size()));
    for (const std::string& each : keys_) file += each;
    for (const std::string& each : tensors_) file += each;
    if (tensors_.empty()) return file;
    pad(file);
    file += data_;
    if (last_padding) pad(file);
    return file;
  }

 private:
  void pad(std::string& bytes) const { bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0'); }
  void pad_data() { pad(data_); }

  std::vector<std::string> keys_, tensors_;
  std::string data_;
};

}  // namespace kv::test
