#include "cli/served_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "cli/generate_settings.h"
#include "cli/progress.h"
#include "cpu_reference/this_machine.h"
#include "model/bytes.h"
#include "model/devices.h"

namespace kv::cli {

namespace {

std::string unknown_device(const std::string& text) {
  std::vector<std::string> names = similar_devices(text);
  if (!names.empty())
    return fmt::format("--gpu {}: there is no such device; did you mean {}?", text, fmt::join(names, " or "));
  for (const Device& device : devices()) names.emplace_back(device.name);
  return fmt::format("--gpu {}: there is no such device; known are {}, and this (machine)", text,
                     fmt::join(names, ", "));
}

Sourced<double> sourced(const Published& number) {
  return {number.value, Origin::published, std::string(number.source)};
}

ServedDevice published_device(const Device& device, const NumberFormat& weights) {
  const Peak peak = peak_for(device, weights);
  ServedDevice served;
  served.name = device.name;
  served.memory_bytes = {device.memory_bytes, Origin::published, std::string(device.bytes_per_second.source)};
  served.bytes_per_second = sourced(device.bytes_per_second);
  served.flops_per_second = sourced(peak.flops_per_second);
  served.peak_dtype = peak.dtype;
  served.assumed.push_back(
      fmt::format("the {} GB of {} are GiB, as memory chips are made; a driver keeps a part of them (--reserve)",
                  device.memory_bytes / size_of(ByteUnit::GiB), device.name));
  return served;
}

ServedDevice this_machine(Speed speed) {
  const int threads = static_cast<int>(default_threads());
  ServedDevice served;
  served.name = "this machine";
  served.peak_dtype = "f32";
  if (speed == Speed::not_needed) {
    served.memory_bytes = {cpu::usable_memory(), Origin::measured, "as the system says"};
    return served;
  }
  const Progress progress("measuring this machine");
  const cpu::MachineSpeeds measured = cpu::measure_this_machine(threads);
  served.memory_bytes = {measured.memory_bytes, Origin::measured, "as the system says"};
  served.bytes_per_second = {measured.read_bytes_per_second, Origin::measured,
                             fmt::format("just now: reading a large buffer, {} threads", measured.threads)};
  served.flops_per_second = {measured.fused_flops_per_second, Origin::measured,
                             fmt::format("just now: f32 multiply-adds on registers, {} threads", measured.threads)};
  return served;
}

ServedDevice chosen_device(const std::string& gpu, const NumberFormat& weights, Speed speed) {
  if (gpu == "this") return this_machine(speed);
  const Device* device = find_device(gpu);
  if (device == nullptr) throw std::runtime_error(unknown_device(gpu));
  return published_device(*device, weights);
}

}  // namespace

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::published: return "published";
    case Origin::measured: return "measured";
    case Origin::given: return "given";
  }
  return "?";
}

std::string devices_note() {
  constexpr size_t kWidth = 80;
  std::string text, line = "Devices:";
  for (const Device& device : devices()) {
    const std::string word = fmt::format(" {},", device.name);
    if (line.size() + word.size() > kWidth) {
      text += line + "\n";
      line = " ";
    }
    line += word;
  }
  return text + line + " this";
}

CLI::Option* add_gpu(CLI::App& app, std::string& name) {
  return app.add_option("--gpu", name, "a device by name, such as h100, or this (machine)")
      ->type_name("NAME")
      ->check([](const std::string& text) { return text.empty() ? std::string("no device is named") : std::string(); });
}

ServedDevice served_device(const DeviceOptions& options, const NumberFormat& weights, Speed speed) {
  ServedDevice served;
  served.name = "the given device";
  if (!options.gpu.empty()) served = chosen_device(options.gpu, weights, speed);
  if (options.memory_bytes > 0) served.memory_bytes = {options.memory_bytes, Origin::given, "--memory"};
  if (options.bandwidth > 0) served.bytes_per_second = {options.bandwidth, Origin::given, "--bandwidth"};
  if (options.peak > 0) served.flops_per_second = {options.peak, Origin::given, "--peak"};
  if (options.memory_bytes > 0) served.assumed.clear();
  return served;
}

}  // namespace kv::cli
