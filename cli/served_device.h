// The device that --gpu, --memory, --bandwidth and --peak describe together, each number with where it comes from.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/number_format.h"
#include "model/roofline.h"

namespace kv::cli {

// Where a number comes from, as every output names it.
enum class Origin { published, measured, given };
std::string_view name_of(Origin origin);

template <class Value>
struct Sourced {
  Value value{};  // 0: not known
  Origin origin = Origin::given;
  std::string source;  // the maker's document, or how it was measured
};

struct ServedDevice {
  std::string name;
  Sourced<int64_t> memory_bytes;
  Sourced<double> bytes_per_second;
  Sourced<double> flops_per_second;
  std::string peak_dtype;  // that the peak is for
  std::vector<std::string> assumed;

  Speeds speeds() const { return {bytes_per_second.value, flops_per_second.value}; }
};

struct DeviceOptions {
  std::string gpu;           // empty: none; "this": this machine, measured
  int64_t memory_bytes = 0;  // 0: that of the gpu
  double bandwidth = 0;
  double peak = 0;

  bool any() const { return !gpu.empty() || memory_bytes > 0 || bandwidth > 0 || peak > 0; }
};

// The names that --gpu knows, in lines of a help text.
std::string devices_note();
// --gpu NAME
CLI::Option* add_gpu(CLI::App& app, std::string& name);

enum class Speed { not_needed, needed };

// Throws std::runtime_error that suggests names.
ServedDevice served_device(const DeviceOptions& options, const NumberFormat& weights, Speed speed);

}  // namespace kv::cli
