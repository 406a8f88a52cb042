#include <limits>

#include "model/config.h"
#include "model/files/hf_config.h"
#include "model/parameters.h"
#include "tests/fuzz/targets.h"
#include "tests/support/memory_file.h"

namespace kv::fuzz {

namespace {

void demand_counted(int64_t amount) {
  if (amount < 0) throw std::logic_error("a size wrapped around");
}

}  // namespace

void try_config(std::string_view bytes) {
  const test::MemoryFile file(bytes);
  allow_refusal([&] {
    const ModelConfig config = read_hf_config(file.path());
    validate(config);  // the reader has done so
    for (const std::string& sentence : config.assumed) demand_one_line(sentence);
    demand_one_line(config.name);
    if (!config.cannot_run.empty()) demand_one_line(config.cannot_run);
    if (config.unknown_parameters.empty()) {
      const ParameterCount parameters = count_parameters(config);
      demand_counted(parameters.total() * 8);  // the bytes of f64
      demand_counted(parameters.active());
    } else {
      demand_one_line(config.unknown_parameters);
    }
    demand_counted(config.cache_values_per_token());
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
      for (const int64_t length : {int64_t{0}, int64_t{1}, config.max_context})
        demand_counted(config.cache_bytes(length, dtype));
    if (!(config.attention_scale() > 0)) throw std::logic_error("the scores are scaled by nothing");
  });
}

}  // namespace kv::fuzz
