#include "model/devices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace kv;

namespace {

std::string found(std::string_view text) {
  const Device* device = find_device(text);
  return device == nullptr ? "(none)" : std::string(device->name);
}
using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("devices");

TEST_CASE("every number that is known names its source, and every device has memory and a bandwidth") {
  std::set<std::string_view> seen;
  CHECK(devices().size() >= 16);
  for (const Device& device : devices()) {
    CAPTURE(std::string(device.name));
    CHECK(seen.insert(device.name).second);
    CHECK(device.memory_bytes >= int64_t{12} << 30);
    CHECK(device.memory_bytes % (int64_t{1} << 30) == 0);
    CHECK(device.bytes_per_second.known());
    for (const Published& number : {device.bytes_per_second, device.f32, device.bf16, device.f8})
      CHECK(number.known() == !number.source.empty());
  }
}

TEST_CASE("rates that are printed with sparsity are halved, and say so") {
  for (const char* name : {"L4", "H100 PCIe", "H100 SXM", "H200 SXM", "B200"}) {
    CAPTURE(name);
    const Device& device = *find_device(name);
    CHECK(device.bf16.source.find("half of the rate with sparsity") != std::string_view::npos);
    CHECK(device.f8.value == doctest::Approx(2 * device.bf16.value).epsilon(0.01));
  }
  CHECK(find_device("H100 SXM")->bf16.value == 1979e12 / 2);
  CHECK(find_device("H100 PCIe")->f8.value == 3026e12 / 2);
  CHECK(find_device("A100 80 GB SXM")->bf16.value == 312e12);
}

TEST_CASE("no device is faster in a wider format, and peaks lie far above what the memory can feed") {
  for (const Device& device : devices()) {
    CAPTURE(std::string(device.name));
    if (device.f32.known() && device.bf16.known()) CHECK(device.f32.value < device.bf16.value);
    if (device.bf16.known() && device.f8.known()) CHECK(device.bf16.value < device.f8.value);
    if (device.bf16.known()) CHECK(device.bf16.value / device.bytes_per_second.value > 50);
  }
}

TEST_CASE("a device is found whatever the case, blanks, hyphens and maker") {
  for (const Device& device : devices()) CHECK(find_device(device.name) == &device);
  CHECK(found("rtx4090") == "RTX 4090");
  CHECK(found("4090") == "RTX 4090");
  CHECK(found("NVIDIA GeForce RTX 4090") == "RTX 4090");
  CHECK(found("nvidia-h100-pcie") == "H100 PCIe");
  CHECK(found("AMD Instinct MI300X") == "MI300X");
  CHECK(found("a10") == "A10");
  CHECK(found("l4") == "L4");
  CHECK(found("l40s") == "L40S");
}

TEST_CASE("the beginning of a name is enough when one device begins so, and some have a usual variant") {
  CHECK(found("h200") == "H200 SXM");
  CHECK(found("rtx 3060") == "RTX 3060 12 GB");
  CHECK(found("m2") == "M2 Ultra 192 GB");
  CHECK(found("h100") == "H100 SXM");
  CHECK(found("A100-80GB") == "A100 80 GB SXM");
  CHECK(found("a100") == "(none)");
  CHECK(similar_devices("a100") == Names{"A100 40 GB PCIe", "A100 40 GB SXM", "A100 80 GB PCIe", "A100 80 GB SXM"});
  CHECK(found("") == "(none)");
  CHECK(found("nvidia") == "(none)");
}

TEST_CASE("a mistyped name suggests the nearest") {
  CHECK(found("RTX 4091") == "(none)");
  const Names near = similar_devices("RTX 4091");
  CHECK(std::find(near.begin(), near.end(), "RTX 4090") != near.end());
  CHECK(similar_devices("MI300") == Names{"MI300X"});
  CHECK(similar_devices("h300") == Names{"H100 PCIe", "H100 SXM", "H200 SXM"});
  CHECK(similar_devices("a toaster oven").empty());
  CHECK(similar_devices("rtx").empty());
  CHECK(similar_devices(" ").empty());
}

TEST_CASE("weights of 16 bits and fewer meet the bf16 peak, f8 its own where there is one, f32 that of f32") {
  const Device& h100 = *find_device("H100 SXM");
  const Device& a100 = *find_device("A100 80 GB SXM");
  const auto peak = [](const Device& device, std::string_view format) {
    return peak_for(device, number_format(format).value());
  };
  CHECK(peak(h100, "f32").flops_per_second.value == 67e12);
  CHECK(peak(h100, "f16").flops_per_second.value == h100.bf16.value);
  CHECK(peak(h100, "q4_0").flops_per_second.value == h100.bf16.value);
  CHECK(peak(h100, "f8").flops_per_second.value == h100.f8.value);
  CHECK(peak(h100, "f8").dtype == "f8");
  CHECK(peak(a100, "f8").dtype == "bf16");
  CHECK_FALSE(peak(*find_device("B200"), "f32").flops_per_second.known());
}

TEST_SUITE_END();
