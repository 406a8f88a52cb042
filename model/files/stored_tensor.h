// StoredTensor: a named tensor as a file holds it, whatever the file's format. Bytes with a type and a shape; what it
// means is known in load_model alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kv {

struct StoredTensor {
  std::string dtype;                 // as the format spells it: "F32", "BF16", "I64", "Q4_1", ...
  std::vector<int64_t> shape;        // row-major, the last index fastest; [] is a scalar; a dimension may be 0
  std::span<const std::byte> bytes;  // in the mapped file
  int64_t file_offset = 0;           // of the first byte, from the start of the file
};

}  // namespace kv
