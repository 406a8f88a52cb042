// NumberFormat: how many bytes numbers take in storage, for formats that kvlab computes with and for those that it only
// sizes. Block formats hold 32 or 256 numbers together with their scale, so that a number takes a broken count of
// bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/dtype.h"

namespace kv {

struct NumberFormat {
  std::string_view name;
  int64_t block_values = 1;  // stored together
  int64_t block_bytes = 0;

  constexpr NumberFormat(std::string_view format, int64_t values, int64_t bytes)
      : name(format), block_values(values), block_bytes(bytes) {}
  constexpr NumberFormat(Dtype dtype)
      : NumberFormat(facts_of(dtype).name, facts_of(dtype).block_values, facts_of(dtype).block_bytes) {}

  // Bytes of a row of `values`; the last block of a row is whole.
  constexpr int64_t row_bytes(int64_t values) const { return (values + block_values - 1) / block_values * block_bytes; }
  constexpr double bytes_per_value() const {
    return static_cast<double>(block_bytes) / static_cast<double>(block_values);
  }
};

// The formats of eight and four bits without scales count the numbers alone: an engine's scales for them, often one for
// each head or tensor, come on top.
inline constexpr std::array<NumberFormat, 14> kNumberFormats = {{
    Dtype::f32,
    Dtype::f16,
    Dtype::bf16,
    {"f8", 1, 1},
    {"i8", 1, 1},
    {"i4", 2, 1},
    Dtype::q8_0,
    Dtype::q4_0,
    Dtype::q4_1,
    Dtype::q5_0,
    Dtype::q5_1,
    Dtype::q4_k,
    Dtype::q5_k,
    Dtype::q6_k,
}};

constexpr std::optional<NumberFormat> number_format(std::string_view name) {
  for (const NumberFormat& format : kNumberFormats)
    if (format.name == name) return format;
  return std::nullopt;
}

}  // namespace kv
