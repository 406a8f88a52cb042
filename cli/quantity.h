// Quantities with a unit, read strictly from the command line and printed without ever leaving the unit out.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/bytes.h"
#include "model/number_format.h"

namespace kv::cli {

// "24GiB", "24GB", "1.5GiB" or plain bytes. All throw UsageError unless all of the text is that.
int64_t parse_bytes(std::string_view name, std::string_view text, int64_t least);
// "936GB/s", "3.35TB/s", "57.1GiB/s" or plain bytes a second; more than 0.
double parse_bandwidth(std::string_view name, std::string_view text);
// "82.6TFLOPS", "2.25P" or plain FLOPs a second; more than 0.
double parse_flops(std::string_view name, std::string_view text);

// Options of such values.
CLI::Option* add_bytes(CLI::App& app, const std::string& name, int64_t& value, int64_t least, const std::string& help);
CLI::Option* add_bandwidth(CLI::App& app, const std::string& name, double& value, const std::string& help);
CLI::Option* add_flops(CLI::App& app, const std::string& name, double& value, const std::string& help);
// One of model/number_format.h; a mistyped name is told its nearest.
CLI::Option* add_format(CLI::App& app, const std::string& name, NumberFormat& value, const std::string& help);

// Two decimals of the unit, GiB or GB, when there is at least one of it, else the fitting smaller unit of the same
// kind.
std::string amount_text(int64_t bytes, ByteUnit unit);
// "936 GB/s", "989 TFLOP/s"
std::string bandwidth_text(double bytes_per_second);
std::string flops_text(double flops_per_second);

}  // namespace kv::cli
