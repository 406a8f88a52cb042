// Random numbers that are the same with every compiler and library: a named generator (SplitMix64) and our own
// conversions, since the standard distributions differ between libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace kv {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A stream of its own for each name, so that adding a tensor does not change the others.
  Random(uint64_t seed, std::string_view name) : state_(seed) {
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    bits();
  }

  // 64 random bits: SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // Close to normal with mean 0 and spread 1: the sum of twelve uniform numbers less 6, exact arithmetic everywhere.
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  // In [0, count).
  int64_t below(int64_t count) { return static_cast<int64_t>(uniform() * static_cast<double>(count)); }

 private:
  uint64_t state_;
};

}  // namespace kv
