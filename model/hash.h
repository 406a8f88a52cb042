// FNV-1a, 64 bits: the hash behind logits_hash. It is compared between two runs of one build, never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kv {

class Fnv1a {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) state_ = (state_ ^ static_cast<uint64_t>(byte)) * 0x100000001b3u;
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace kv
