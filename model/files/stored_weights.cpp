#include "model/files/stored_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "model/error.h"

namespace kv {

namespace {

// Types are called the same in both formats, but for the case.
std::optional<Dtype> known_dtype(std::string name) {
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (const DtypeFacts& facts : kDtypes)
    if (facts.name == name && facts.dtype != Dtype::f64) return facts.dtype;
  return std::nullopt;
}

// The loads of the forward pass need whole values at whole addresses. Every known writer pads to them, but neither
// format demands it: a tensor that lies askew is copied.
const std::byte* aligned_data(const StoredTensor& tensor, Dtype dtype, Weights& weights) {
  const bool aligned = is_block_type(dtype) || tensor.file_offset % bytes_of(dtype) == 0;
  if (aligned) return tensor.bytes.data();
  std::byte* const copy = new_bytes(std::ssize(tensor.bytes), weights);
  std::memcpy(copy, tensor.bytes.data(), tensor.bytes.size());
  return copy;
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Dtype dtype_of(const std::string& file, const std::string& name, const StoredTensor& tensor) {
  if (const std::optional<Dtype> dtype = known_dtype(tensor.dtype)) return *dtype;
  throw FormatError(file,
                    fmt::format("{} (at byte {}) is stored as {}; kvlab computes with F32, F16, BF16, Q4_0, Q4_1, "
                                "Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K",
                                name, tensor.file_offset, tensor.dtype));
}

std::byte* new_bytes(int64_t count, Weights& weights) {
  const std::shared_ptr<std::byte[]> bytes(new std::byte[static_cast<size_t>(count)]);
  weights.owners.push_back(bytes);
  return bytes.get();
}

void place_tensor(const std::string& file, const std::string& name, const StoredTensor& tensor,
                  const ExpectedTensor& expected, Weights& weights) {
  const std::vector<int64_t> shape =
      expected.vector ? std::vector{expected.cols} : std::vector{expected.rows, expected.cols};
  if (tensor.shape != shape)
    throw FormatError(file, fmt::format("{} (at byte {}) has shape {}, but the config asks for {}", name,
                                        tensor.file_offset, shape_text(tensor.shape), shape_text(shape)));
  const Dtype dtype = dtype_of(file, name, tensor);
  if (expected.vector && is_block_type(dtype))
    throw FormatError(
        file, fmt::format("{} (at byte {}) is stored as {}; kvlab reads norms and biases as F32, F16 or BF16", name,
                          tensor.file_offset, tensor.dtype));
  *expected.place = {aligned_data(tensor, dtype, weights), dtype, expected.rows, expected.cols, name};
}

Dtype dtype_of_most_matrices(const std::vector<ExpectedTensor>& list) {
  std::map<Dtype, int64_t> counts;
  for (const ExpectedTensor& tensor : list)
    if (!tensor.vector) ++counts[tensor.place->dtype];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(counts.begin(), counts.end(), fewer)->first;
}

}  // namespace kv
