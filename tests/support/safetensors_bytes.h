// Safetensors files spelt out byte by byte, so that a test can write what no writer would.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kv::test {

inline std::string little_endian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// Length, header and data, just as given.
inline std::string safetensors_bytes(std::string_view header, std::string_view data) {
  return little_endian(header.size()) + std::string(header) + std::string(data);
}

}  // namespace kv::test
