// What `kvlab generate` was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cli/model_path.h"
#include "cpu_reference/generate.h"
#include "model/sampler.h"
#include "model/tokenizer.h"

namespace kv::cli {

enum class DeviceChoice { automatic, cpu, cuda, emulated };
// `file`: as they are stored, mapped and never copied.
enum class WeightsChoice { file, f32, bf16 };

// One thread for each processor that this process may use.
inline int64_t default_threads() { return std::max<int64_t>(1, std::thread::hardware_concurrency()); }

struct GenerateSettings {
  std::string model = kDefaultModel;
  std::string prompt;
  bool raw_ids = false;
  Specials specials = Specials::ignore;
  bool chat = false;

  cpu::GenerateOptions options;
  SamplerSettings sampler;
  int64_t seed = 0;

  WeightsChoice weights = WeightsChoice::file;
  DeviceChoice device = DeviceChoice::automatic;
  int64_t threads = default_threads();

  std::string trace_file;
  bool json = false;
};

}  // namespace kv::cli
