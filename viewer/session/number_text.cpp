#include "viewer/session/number_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "model/bytes.h"

namespace kv::viewer {

namespace {

// `digits` of a number that is not negative, and no zeros behind the point: 7.50 -> "7.5", 6.98 with two -> "7".
std::string digits_of(double value, int digits) {
  if (value <= 0) return "0";
  // Of the whole number; 0 for 0.46, whose digits all stand behind the point.
  const int before = static_cast<int>(std::floor(std::log10(value))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - before));
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

struct FlopUnit {
  std::string_view name;
  double size;
};
FlopUnit flop_unit_of(double flops) {
  constexpr std::array<FlopUnit, 6> kUnits = {
      {{"FLOP", 1}, {"kFLOP", 1e3}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}, {"PFLOP", 1e15}}};
  size_t unit = 0;
  while (flops / kUnits[unit].size >= 999.5 && unit + 1 < kUnits.size()) ++unit;
  return kUnits[unit];
}

std::string flops_in(const FlopUnit& unit, int64_t flops) {
  const double value = static_cast<double>(flops) / unit.size;
  return unit.size == 1 ? with_commas(flops) : digits_of(value, value >= 9.95 ? 3 : 2);
}

}  // namespace

std::string bytes_text(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  // A number that would be rounded up to 1,000 or more of a unit is still written in it: 1,000 KiB are under a MiB.
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (value >= 999.5) return fmt::format("{} {}", with_commas(std::llround(value)), kUnits[unit]);
  return fmt::format("{} {}", digits_of(value, 3), kUnits[unit]);
}

std::string exact_bytes_text(int64_t bytes) {
  return bytes < (int64_t{1} << 20) ? with_commas(bytes) + " B" : bytes_text(bytes);
}

std::string flops_text(int64_t flops) {
  const FlopUnit unit = flop_unit_of(static_cast<double>(flops));
  return fmt::format("{} {}", flops_in(unit, flops), unit.name);
}

std::string flops_sum_text(int64_t first, int64_t second) {
  const FlopUnit unit = flop_unit_of(static_cast<double>(first + second));
  return fmt::format("{} + {} {}", flops_in(unit, first), flops_in(unit, second), unit.name);
}

std::string seconds_text(double seconds) {
  if (seconds >= 0.9995) return fmt::format("{:.{}f} s", seconds, seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0);
  if (seconds >= 99.5e-6)
    return fmt::format("{:.{}f} ms", seconds * 1e3, seconds < 9.995e-3 ? 2 : seconds < 0.09995 ? 1 : 0);
  return fmt::format("{:.{}f} µs", seconds * 1e6, seconds < 9.95e-6 ? 1 : 0);
}

std::string times_text(double more, double less) {
  const double times = more / less;
  return times >= 999.5 ? with_commas(std::llround(times)) : digits_of(times, times >= 99.5 ? 3 : 2);
}

std::string share_text(double part, double whole) {
  if (part <= 0 || whole <= 0) return "-";
  const double times = whole / part;
  if (std::abs(times - 1) < 0.005) return "the same";
  if (times < 1) return times_text(part, whole) + " times";
  return "1/" + times_text(whole, part);
}

std::string percent_text(double part, double whole) {
  if (whole <= 0 || part <= 0) return "0 %";
  const double percent = 100 * part / whole;
  return percent < 0.5 ? "under 1 %" : fmt::format("{:.0f} %", percent);
}

}  // namespace kv::viewer
