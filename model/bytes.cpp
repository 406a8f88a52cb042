#include "model/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace kv {

std::string_view name_of(ByteUnit unit) {
  switch (unit) {
    case ByteUnit::B: return "B";
    case ByteUnit::KiB: return "KiB";
    case ByteUnit::MiB: return "MiB";
    case ByteUnit::GiB: return "GiB";
    case ByteUnit::kB: return "kB";
    case ByteUnit::MB: return "MB";
    case ByteUnit::GB: return "GB";
  }
  return "?";
}

int64_t size_of(ByteUnit unit) {
  switch (unit) {
    case ByteUnit::B: return 1;
    case ByteUnit::KiB: return int64_t{1} << 10;
    case ByteUnit::MiB: return int64_t{1} << 20;
    case ByteUnit::GiB: return int64_t{1} << 30;
    case ByteUnit::kB: return 1'000;
    case ByteUnit::MB: return 1'000'000;
    case ByteUnit::GB: return 1'000'000'000;
  }
  return 1;
}

namespace {

double in_unit(Bytes bytes, ByteUnit unit) {
  return static_cast<double>(bytes.count) / static_cast<double>(size_of(unit));
}

// The last unit of an ascending list of which there is one, counting what would be printed as one: 1023.7 KiB is 1.00
// MiB.
std::string in_fitting_unit(Bytes bytes, std::span<const ByteUnit> units) {
  ByteUnit best = units.front();
  for (const ByteUnit unit : units)
    if (std::abs(in_unit(bytes, unit)) >= 0.9995) best = unit;
  return to_string(bytes, best);
}

}  // namespace

std::string to_string(Bytes bytes) {
  constexpr std::array kBinary = {ByteUnit::B, ByteUnit::KiB, ByteUnit::MiB, ByteUnit::GiB};
  return in_fitting_unit(bytes, kBinary);
}

std::string to_decimal_string(Bytes bytes) {
  constexpr std::array kDecimal = {ByteUnit::B, ByteUnit::kB, ByteUnit::MB, ByteUnit::GB};
  return in_fitting_unit(bytes, kDecimal);
}

std::string to_string(Bytes bytes, ByteUnit unit) {
  if (unit == ByteUnit::B) return fmt::format("{} B", bytes.count);
  const double value = in_unit(bytes, unit);
  const int decimals = std::abs(value) < 9.995 ? 2 : std::abs(value) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, name_of(unit));
}

}  // namespace kv
