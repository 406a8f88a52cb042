#include "cli/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "cli/numbers.h"
#include "cli/options.h"
#include "model/nearest.h"

namespace kv::cli {

namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi, kTi = kGi * kKi;

constexpr std::array<Unit, 11> kBytes = {{{"", 1},
                                          {"B", 1},
                                          {"kB", 1e3},
                                          {"KB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"TB", 1e12},
                                          {"KiB", kKi},
                                          {"MiB", kMi},
                                          {"GiB", kGi},
                                          {"TiB", kTi}}};
constexpr std::array<Unit, 10> kBandwidths = {{{"", 1},
                                               {"B/s", 1},
                                               {"MB/s", 1e6},
                                               {"GB/s", 1e9},
                                               {"TB/s", 1e12},
                                               {"GB", 1e9},
                                               {"TB", 1e12},
                                               {"MiB/s", kMi},
                                               {"GiB/s", kGi},
                                               {"TiB/s", kTi}}};
constexpr std::array<Unit, 12> kFlops = {{{"", 1},
                                          {"FLOPS", 1},
                                          {"FLOP/s", 1},
                                          {"G", 1e9},
                                          {"GFLOPS", 1e9},
                                          {"GFLOP/s", 1e9},
                                          {"T", 1e12},
                                          {"TFLOPS", 1e12},
                                          {"TFLOP/s", 1e12},
                                          {"P", 1e15},
                                          {"PFLOPS", 1e15},
                                          {"PFLOP/s", 1e15}}};

// A number, at least `least`, and one of the units, with nothing between and nothing after.
double parse(std::string_view name, std::string_view text, std::span<const Unit> units, double least,
             std::string_view examples) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units)
    if (error == std::errc() && rest == unit.name && std::isfinite(number) && number * unit.size >= least)
      return number * unit.size;
  throw UsageError(fmt::format("{}: expected {}, found \"{}\"", name, examples, text));
}

template <class Value, class Parse>
CLI::Option* add(CLI::App& app, const std::string& name, Value& value, const Parse& parse_text, const std::string& type,
                 const std::string& help) {
  const auto read = [name, parse_text, &value](const std::string& text) { value = parse_text(name, text); };
  return app.add_option_function<std::string>(name, read, help)->type_name(type);
}

NumberFormat parse_format(std::string_view name, std::string_view text) {
  if (const auto format = number_format(text)) return *format;
  std::vector<std::string> known, near;
  for (const NumberFormat& format : kNumberFormats) known.emplace_back(format.name);
  for (const std::string& format : known)
    if (!text.empty() && format.starts_with(text)) near.push_back(format);
  if (near.empty()) near = nearest(text, known);
  throw UsageError(
      near.empty()
          ? fmt::format("{}: there is no format \"{}\"; known are {}", name, text, fmt::join(known, ", "))
          : fmt::format("{}: there is no format \"{}\"; did you mean {}?", name, text, fmt::join(near, " or ")));
}

}  // namespace

int64_t parse_bytes(std::string_view name, std::string_view text, int64_t least) {
  constexpr double kMost = 4e18;  // of an int64_t
  const double bytes =
      parse(name, text, kBytes, static_cast<double>(least), "bytes such as 24GiB, 24GB or 25769803776");
  if (bytes > kMost) throw UsageError(fmt::format("{}: {} is more bytes than kvlab counts", name, text));
  return std::llround(bytes);
}

double parse_bandwidth(std::string_view name, std::string_view text) {
  return parse(name, text, kBandwidths, 1, "bytes a second such as 936GB/s, 3.35TB/s or 936000000000");
}

double parse_flops(std::string_view name, std::string_view text) {
  return parse(name, text, kFlops, 1, "FLOPs a second such as 82.6TFLOPS, 2.25P or 82600000000000");
}

CLI::Option* add_bytes(CLI::App& app, const std::string& name, int64_t& value, int64_t least, const std::string& help) {
  const auto parse_text = [least](const std::string& option, const std::string& text) {
    return parse_bytes(option, text, least);
  };
  return add(app, name, value, parse_text, "BYTES", help);
}
CLI::Option* add_bandwidth(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  return add(app, name, value, parse_bandwidth, "B", help);
}
CLI::Option* add_flops(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  return add(app, name, value, parse_flops, "P", help);
}
CLI::Option* add_format(CLI::App& app, const std::string& name, NumberFormat& value, const std::string& help) {
  return add(app, name, value, parse_format, "D", with_default(help, std::string(value.name)));
}

std::string amount_text(int64_t bytes, ByteUnit unit) {
  const double amount = static_cast<double>(bytes) / static_cast<double>(size_of(unit));
  if (std::abs(amount) >= 0.995) return fmt::format("{:.2f} {}", amount, name_of(unit));
  return unit == ByteUnit::GiB ? to_string(Bytes{bytes}) : to_decimal_string(Bytes{bytes});
}

std::string bandwidth_text(double bytes_per_second) { return with_letter(bytes_per_second) + "B/s"; }
std::string flops_text(double flops_per_second) { return with_letter(flops_per_second) + "FLOP/s"; }

}  // namespace kv::cli
