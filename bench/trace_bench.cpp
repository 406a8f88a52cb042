// What a trace costs: decode steps without one, with counters, and with all tensors kept, in one run.
//
//   trace_bench [rounds]
//
// Without a trace each count and record is one comparison with null. That cannot be measured apart, but what all the
// counting together costs is an upper bound for it. The shape is that of the small trained models.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "cpu_reference/transformer.h"
#include "model/parameters.h"

namespace {

using namespace kv;
using namespace kv::cpu;

constexpr int64_t kSteps = 64;

ModelConfig small_model() {
  ModelConfig config;
  config.layers = 4;
  config.model_dim = 256;
  config.hidden_dim = 512;
  config.vocab = 2048;
  config.max_context = kSteps;
  config.heads = config.kv_heads = 8;
  config.key_head_dim = config.value_head_dim = config.rope.dim = 32;
  config.layer_cache.assign(4, LayerCache::per_head(8, 32, 32));
  return config;
}

double seconds_of_steps(const Model& model, Team& team, Trace* trace) {
  KvCache cache(model.config, kSteps, Dtype::bf16);
  const auto start = std::chrono::steady_clock::now();
  for (int32_t token = 0; token < kSteps; ++token)
    decode_step<float>(model, token, cache, LatentForm::absorbed, Run{team, trace});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 31;
  const ModelConfig config = small_model();
  const Weights weights = random_weights(config, 1, Dtype::bf16);
  const Model model{config, weights};
  Team team(1);
  std::vector<double> plain, counting, keeping;
  for (int round = 0; round < rounds; ++round) {
    plain.push_back(seconds_of_steps(model, team, nullptr));
    Trace counters;
    counting.push_back(seconds_of_steps(model, team, &counters) / plain.back());
    Trace tensors(Trace::Keep::counters_and_tensors);
    keeping.push_back(seconds_of_steps(model, team, &tensors) / plain.back());
  }
  fmt::print("decode steps of a model of {:.1f} M parameters, one thread, {} rounds, compiler {}\n\n",
             static_cast<double>(parameter_count(config)) * 1e-6, rounds, __VERSION__);
  fmt::print("  no trace               {:.1f} us a step\n", median(plain) * 1e6 / kSteps);
  fmt::print("  counters               {:.3f} times that\n", median(counting));
  fmt::print("  counters and tensors   {:.3f} times that\n", median(keeping));
}
