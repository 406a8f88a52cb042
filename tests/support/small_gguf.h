// A small GGUF model as lists of keys and tensors in which a test puts, replaces and removes, and what load_model says
// of it.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/blocks.h"
#include "model/error.h"
#include "model/files/load_model.h"
#include "tests/support/error_of.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/temporary_folder.h"

namespace kv::test {

// ggml's numbers of some types of tensors.
enum GgmlId : uint32_t { kF32 = 0, kQ4_0 = 2, kQ8_1 = 9, kQ2_K = 10, kI8 = 24, kF64 = 28, kBf16 = 30 };

struct Key {
  std::string name;
  uint32_t type;
  std::string bytes;
};
struct Tensor {
  std::string name;
  std::vector<int64_t> sizes;  // the fastest first
  uint32_t type;
  std::string bytes;
};

inline Key count_key(const std::string& name, uint32_t value) { return {name, u32, number_bytes(value)}; }
inline Key number_key(const std::string& name, float value) { return {name, f32, number_bytes(value)}; }
inline Key text_key(const std::string& name, std::string_view value) { return {name, text, text_bytes(value)}; }
inline Key counts_key(const std::string& name, const std::vector<int32_t>& values) {
  return {name, array, numbers_bytes<int32_t>(i32, values)};
}

// Value i of a tensor is i + 1/2, in f32.
inline Tensor counting(const std::string& name, std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) bytes += number_bytes(static_cast<float>(i) + 0.5f);
  return {name, std::move(sizes), kF32, std::move(bytes)};
}

class GgufModel {
 public:
  GgufModel with(const Key& key) const {
    GgufModel other = *this;
    put(other.keys_, key);
    return other;
  }
  GgufModel with(const Tensor& tensor) const {
    GgufModel other = *this;
    put(other.tensors_, tensor);
    return other;
  }
  GgufModel without(const std::string& name) const {
    GgufModel other = *this;
    const auto named = [&](const auto& entry) { return entry.name == name; };
    REQUIRE(std::erase_if(other.keys_, named) + std::erase_if(other.tensors_, named) == 1);
    return other;
  }
  const std::vector<Tensor>& tensors() const& { return tensors_; }

  std::string bytes(uint64_t alignment = 32, uint32_t version = 3) const {
    GgufBytes file;
    file.alignment = alignment;
    file.version = version;
    if (alignment != 32) file.u32_key("general.alignment", static_cast<uint32_t>(alignment));
    for (const Key& key : keys_) file.key(key.name, key.type, key.bytes);
    for (const Tensor& tensor : tensors_) file.tensor(tensor.name, tensor.sizes, tensor.type, tensor.bytes);
    return file.bytes();
  }

 private:
  template <class Entry>
  static void put(std::vector<Entry>& list, const Entry& entry) {
    for (Entry& each : list)
      if (each.name == entry.name) {
        each = entry;
        return;
      }
    list.push_back(entry);
  }

  std::vector<Key> keys_;
  std::vector<Tensor> tensors_;
};

// One layer whose sizes are all different: 6 model_dim, 3 heads of 4, 1 of them for K and V, 10 hidden, 7 rows.
inline GgufModel small_llama() {
  GgufModel file = GgufModel()
                       .with(text_key("general.architecture", "llama"))
                       .with(count_key("llama.block_count", 1))
                       .with(count_key("llama.context_length", 64))
                       .with(count_key("llama.embedding_length", 6))
                       .with(count_key("llama.feed_forward_length", 10))
                       .with(count_key("llama.attention.head_count", 3))
                       .with(count_key("llama.attention.head_count_kv", 1))
                       .with(count_key("llama.attention.key_length", 4))
                       .with(count_key("llama.attention.value_length", 4))
                       .with(count_key("llama.rope.dimension_count", 4))
                       .with(number_key("llama.rope.freq_base", 1000))
                       .with(number_key("llama.attention.layer_norm_rms_epsilon", 1e-5f));
  for (const auto& [name, sizes] :
       std::vector<std::pair<std::string, std::vector<int64_t>>>{{"token_embd", {6, 7}},
                                                                 {"blk.0.attn_norm", {6}},
                                                                 {"blk.0.attn_q", {6, 12}},
                                                                 {"blk.0.attn_k", {6, 4}},
                                                                 {"blk.0.attn_v", {6, 4}},
                                                                 {"blk.0.attn_output", {12, 6}},
                                                                 {"blk.0.ffn_norm", {6}},
                                                                 {"blk.0.ffn_gate", {6, 10}},
                                                                 {"blk.0.ffn_up", {6, 10}},
                                                                 {"blk.0.ffn_down", {10, 6}},
                                                                 {"output_norm", {6}},
                                                                 {"output", {6, 7}}})
    file = file.with(counting(name + ".weight", sizes));
  return file;
}

// One layer of latent attention: 6 model_dim, 3 heads, 5 latent, 3 + 2 of a key, 4 of a value; keys as since April
// 2025.
inline GgufModel small_deepseek() {
  GgufModel file = GgufModel()
                       .with(text_key("general.architecture", "deepseek2"))
                       .with(count_key("deepseek2.block_count", 1))
                       .with(count_key("deepseek2.context_length", 64))
                       .with(count_key("deepseek2.embedding_length", 6))
                       .with(count_key("deepseek2.feed_forward_length", 10))
                       .with(count_key("deepseek2.attention.head_count", 3))
                       .with(count_key("deepseek2.attention.head_count_kv", 1))
                       .with(count_key("deepseek2.attention.kv_lora_rank", 5))
                       .with(count_key("deepseek2.attention.key_length", 7))
                       .with(count_key("deepseek2.attention.value_length", 5))
                       .with(count_key("deepseek2.attention.key_length_mla", 5))
                       .with(count_key("deepseek2.attention.value_length_mla", 4))
                       .with(count_key("deepseek2.rope.dimension_count", 2))
                       .with(count_key("deepseek2.leading_dense_block_count", 1))
                       .with(count_key("deepseek2.expert_count", 64))
                       .with(number_key("deepseek2.rope.freq_base", 1000))
                       .with(number_key("deepseek2.attention.layer_norm_rms_epsilon", 1e-5f));
  for (const auto& [name, sizes] :
       std::vector<std::pair<std::string, std::vector<int64_t>>>{{"token_embd", {6, 7}},
                                                                 {"blk.0.attn_norm", {6}},
                                                                 {"blk.0.attn_q", {6, 15}},
                                                                 {"blk.0.attn_kv_a_mqa", {6, 7}},
                                                                 {"blk.0.attn_kv_a_norm", {5}},
                                                                 {"blk.0.attn_k_b", {3, 5, 3}},
                                                                 {"blk.0.attn_v_b", {5, 4, 3}},
                                                                 {"blk.0.attn_output", {12, 6}},
                                                                 {"blk.0.ffn_norm", {6}},
                                                                 {"blk.0.ffn_gate", {6, 10}},
                                                                 {"blk.0.ffn_up", {6, 10}},
                                                                 {"blk.0.ffn_down", {10, 6}},
                                                                 {"output_norm", {6}},
                                                                 {"output", {6, 7}}})
    file = file.with(counting(name + ".weight", sizes));
  return file;
}

inline LoadedModel loaded(const std::string& bytes) {
  const TemporaryFolder folder;
  return load_model(folder.write("t.gguf", bytes));  // the mapping outlives the file
}
inline LoadedModel loaded(const GgufModel& file) { return loaded(file.bytes()); }

// What is said about a file, behind its path: "(no error)", or one line.
inline std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("t.gguf", bytes);
  const std::string error = error_of<FormatError>([&] { load_model(path); });
  if (error == "(no error)") return error;
  CHECK_MESSAGE(std::none_of(error.begin(), error.end(), [](char c) { return c >= 0 && c < 0x20; }), error);
  REQUIRE_MESSAGE(error.starts_with(path.string() + ": "), error);
  return error.substr(path.string().size() + 2);
}
inline std::string refusal(const GgufModel& file) { return refusal(file.bytes()); }

// Where the value of a key lies in the file.
inline size_t place_of(const GgufModel& file, const std::string& key) {
  const std::string name = text_bytes(key);
  const size_t at = file.bytes().find(name);
  REQUIRE(at != std::string::npos);
  return at + name.size() + 4;
}

// Where the bytes of a tensor lie in the file.
inline size_t data_of(const GgufModel& file, const std::string& name) {
  const std::string bytes = file.bytes(), title = text_bytes(name);
  uint64_t offset = 0, data = 0;
  for (const Tensor& tensor : file.tensors()) {
    const size_t at = bytes.rfind(text_bytes(tensor.name)) + 8 + tensor.name.size() + 4 + 8 * tensor.sizes.size() + 4;
    if (tensor.name == name) std::memcpy(&offset, bytes.data() + at, sizeof offset);
    data = std::max<uint64_t>(data, (at + 8 + 31) / 32 * 32);
  }
  return data + offset;
}

// Expects "KEY (at byte N) WHAT" of the file with this key put in.
inline void expect_refusal_of(const GgufModel& base, const Key& key, const std::string& what) {
  const GgufModel file = base.with(key);
  CHECK(refusal(file) == fmt::format("{} (at byte {}) {}", key.name, place_of(file, key.name), what));
}
// Expects "TENSOR (at byte N) WHAT" of the file with this tensor put in.
inline void expect_refusal_of(const GgufModel& base, const Tensor& tensor, const std::string& what) {
  const GgufModel file = base.with(tensor);
  CHECK(refusal(file) == fmt::format("{} (at byte {}) {}", tensor.name, data_of(file, tensor.name), what));
}

inline float value_at(const WeightMatrix& matrix, int64_t row, int64_t col) {
  std::vector<float> values(static_cast<size_t>(matrix.cols));
  widen_row(matrix.dtype, matrix.row(row), matrix.cols, values.data());
  return values[static_cast<size_t>(col)];
}

inline bool any_says(const std::vector<std::string>& sentences, std::string_view words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& each) { return each.find(words) != std::string::npos; });
}

// Reads all weights, so that a sanitizer sees a view that leaves its memory.
inline double sum_of(const LoadedModel& model) {
  Weights weights = model.weights;
  double sum = 0;
  for (const ExpectedTensor& tensor : expected_tensors(model.config, weights))
    for (int64_t row = 0; row < tensor.place->rows; ++row)
      sum += static_cast<double>(value_at(*tensor.place, row, 0) + value_at(*tensor.place, row, tensor.cols - 1));
  return sum;
}

}  // namespace kv::test
