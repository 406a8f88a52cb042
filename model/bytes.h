// Bytes: an amount of memory or traffic, with its unit always written out.
//
// Memory comes in powers of two and is printed as B, KiB, MiB, GiB. Bandwidth is sold in powers of ten, so an amount
// that stands next to a GB/s may ask for decimal units. The two are 7% apart at a billion and must not share a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kv {

enum class ByteUnit { B, KiB, MiB, GiB, kB, MB, GB };  // NOLINT(readability-identifier-naming): as units are written

std::string_view name_of(ByteUnit unit);
// Bytes in one of the unit.
int64_t size_of(ByteUnit unit);

struct Bytes {
  int64_t count = 0;
  bool operator==(const Bytes&) const = default;
};

// In the largest binary unit of which there is one, to three digits: "640 B", "23.0 KiB", "1.50 GiB".
std::string to_string(Bytes bytes);
// The same in decimal units: "6.59 MB".
std::string to_decimal_string(Bytes bytes);
// In the unit that is asked for: "0.02 GiB", "1000000 B".
std::string to_string(Bytes bytes, ByteUnit unit);

}  // namespace kv
