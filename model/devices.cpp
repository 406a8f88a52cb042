#include "model/devices.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/nearest.h"

namespace kv {

namespace {

constexpr int64_t gib(int64_t count) { return count << 30; }
constexpr double kGiga = 1e9, kTera = 1e12;

// Makers' documents.
constexpr std::string_view kAmpere = "NVIDIA Ampere GA102 GPU Architecture whitepaper, appendix A";
constexpr std::string_view kAda = "NVIDIA Ada GPU Architecture whitepaper v2.1, appendix A";
constexpr std::string_view kBlackwellRtx = "NVIDIA RTX Blackwell GPU Architecture whitepaper, appendix A";
constexpr std::string_view kRtx3060 = "NVIDIA's product page of the GeForce RTX 3060";
constexpr std::string_view kL4 = "NVIDIA L4 datasheet";
constexpr std::string_view kL4Halved = "NVIDIA L4 datasheet, half of the rate with sparsity";
constexpr std::string_view kA10 = "NVIDIA A10 datasheet";
constexpr std::string_view kA100 = "NVIDIA A100 datasheet";
constexpr std::string_view kL40S = "NVIDIA L40S datasheet";
constexpr std::string_view kH100 = "NVIDIA H100 datasheet";
constexpr std::string_view kH100Halved = "NVIDIA H100 datasheet, half of the rate with sparsity";
constexpr std::string_view kH200 = "NVIDIA H200 datasheet";
constexpr std::string_view kH200Halved = "NVIDIA H200 datasheet, half of the rate with sparsity";
constexpr std::string_view kB200 = "NVIDIA DGX B200 datasheet, an eighth of the system";
constexpr std::string_view kB200Halved = "NVIDIA Blackwell architecture brief, half of the rate with sparsity";
constexpr std::string_view kMi300x = "AMD Instinct MI300X data sheet";
constexpr std::string_view kM2Ultra = "Apple's announcement of the M2 Ultra and its page of the Mac Pro";

constexpr Published kNotKnown;

// Not known: the RTX 3060's rate of products that add up in f32 (its page has one number, with sparsity and adding in
// f16), f32 of the B200 (NVIDIA has printed 75 and 80 TFLOPS), bf16 of the M2 Ultra.
constexpr std::array<Device, 17> kDevices = {{
    // name, memory, bandwidth, f32, bf16 and f16, f8, alias
    {"RTX 3060 12 GB", gib(12), {360 * kGiga, kRtx3060}, {13 * kTera, kRtx3060}, kNotKnown, kNotKnown, ""},
    {"RTX 3090", gib(24), {936 * kGiga, kAmpere}, {35.6 * kTera, kAmpere}, {71 * kTera, kAmpere}, kNotKnown, ""},
    {"RTX 4090", gib(24), {1008 * kGiga, kAda}, {82.6 * kTera, kAda}, {165.2 * kTera, kAda}, {330.3 * kTera, kAda}, ""},
    {"RTX 5090",
     gib(32),
     {1792 * kGiga, kBlackwellRtx},
     {104.8 * kTera, kBlackwellRtx},
     {209.5 * kTera, kBlackwellRtx},
     {419 * kTera, kBlackwellRtx},
     ""},
    {"L4", gib(24), {300 * kGiga, kL4}, {30.3 * kTera, kL4}, {121 * kTera, kL4Halved}, {242.5 * kTera, kL4Halved}, ""},
    {"A10", gib(24), {600 * kGiga, kA10}, {31.2 * kTera, kA10}, {125 * kTera, kA10}, kNotKnown, ""},
    {"A100 40 GB PCIe", gib(40), {1555 * kGiga, kA100}, {19.5 * kTera, kA100}, {312 * kTera, kA100}, kNotKnown, ""},
    {"A100 40 GB SXM",
     gib(40),
     {1555 * kGiga, kA100},
     {19.5 * kTera, kA100},
     {312 * kTera, kA100},
     kNotKnown,
     "A100 40 GB"},
    {"A100 80 GB PCIe", gib(80), {1935 * kGiga, kA100}, {19.5 * kTera, kA100}, {312 * kTera, kA100}, kNotKnown, ""},
    {"A100 80 GB SXM",
     gib(80),
     {2039 * kGiga, kA100},
     {19.5 * kTera, kA100},
     {312 * kTera, kA100},
     kNotKnown,
     "A100 80 GB"},
    {"L40S", gib(48), {864 * kGiga, kL40S}, {91.6 * kTera, kL40S}, {362.05 * kTera, kL40S}, {733 * kTera, kL40S}, ""},
    {"H100 PCIe",
     gib(80),
     {2000 * kGiga, kH100},
     {51 * kTera, kH100},
     {756.5 * kTera, kH100Halved},
     {1513 * kTera, kH100Halved},
     ""},
    {"H100 SXM",
     gib(80),
     {3350 * kGiga, kH100},
     {67 * kTera, kH100},
     {989.5 * kTera, kH100Halved},
     {1979 * kTera, kH100Halved},
     "H100"},
    {"H200 SXM",
     gib(141),
     {4800 * kGiga, kH200},
     {67 * kTera, kH200},
     {989.5 * kTera, kH200Halved},
     {1979 * kTera, kH200Halved},
     ""},
    {"B200", gib(180), {8000 * kGiga, kB200}, kNotKnown, {2250 * kTera, kB200Halved}, {4500 * kTera, kB200Halved}, ""},
    {"MI300X",
     gib(192),
     {5300 * kGiga, kMi300x},
     {163.4 * kTera, kMi300x},
     {1307.4 * kTera, kMi300x},
     {2614.9 * kTera, kMi300x},
     ""},
    {"M2 Ultra 192 GB", gib(192), {800 * kGiga, kM2Ultra}, {27.2 * kTera, kM2Ultra}, kNotKnown, kNotKnown, ""},
}};

// "NVIDIA GeForce RTX-4090" -> "4090"
std::string plain(std::string_view text) {
  std::string small;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view maker : {"nvidia", "geforce", "rtx", "tesla", "amd", "instinct", "apple"})
    if (small.starts_with(maker)) small.erase(0, maker.size());
  return small;
}

std::vector<const Device*> devices_beginning_with(const std::string& text) {
  std::vector<const Device*> list;
  for (const Device& device : kDevices)
    if (!text.empty() && plain(device.name).starts_with(text)) list.push_back(&device);
  return list;
}

}  // namespace

std::span<const Device> devices() { return kDevices; }

const Device* find_device(std::string_view text) {
  const std::string word = plain(text);
  if (word.empty()) return nullptr;
  for (const Device& device : kDevices)
    if (plain(device.name) == word || plain(device.alias) == word) return &device;
  const auto beginning = devices_beginning_with(word);
  return beginning.size() == 1 ? beginning.front() : nullptr;
}

std::vector<std::string> similar_devices(std::string_view text) {
  const std::string word = plain(text);
  std::vector<std::string> names, words;
  if (word.empty()) return names;  // nothing, or a maker alone
  for (const Device* device : devices_beginning_with(word)) names.emplace_back(device->name);
  if (!names.empty()) return names;
  // Or the beginnings of that length that differ in the fewest letters: h300 may be an H200 SXM.
  const auto beginning = [&](const Device& device) { return plain(device.name).substr(0, word.size()); };
  for (const Device& device : kDevices) words.push_back(beginning(device));
  const std::vector<std::string> near = nearest(word, words);
  for (const Device& device : kDevices)
    if (std::find(near.begin(), near.end(), beginning(device)) != near.end()) names.emplace_back(device.name);
  return names;
}

Peak peak_for(const Device& device, const NumberFormat& weights) {
  if (weights.name == "f32") return {"f32", device.f32};
  if (weights.name == "f8" && device.f8.known()) return {"f8", device.f8};
  return {"bf16", device.bf16};
}

}  // namespace kv
