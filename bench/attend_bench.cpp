// attend beside a read probe, in one run: how fast one query per layer reads a bf16 cache, against reading the same
// bytes with nothing but a sum.
//
//   attend_bench [context] [rounds]
//
// The shape is SmolLM2-135M's: 30 layers, 9 query heads, 3 KV heads of 64. Both sides walk all layers' caches in turn,
// so that the bytes are too many for the second-level cache; rounds alternate, and the ratio is the median.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "cpu_reference/attention.h"
#include "cpu_reference/lanes.h"

namespace {

using namespace kv::cpu;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The sum of all stored values, by lanes: as little work as reading can be.
float read_probe(const kv::cpu::StoredBlock& block, int64_t values, Team& team) {
  std::vector<float> sums(static_cast<size_t>(team.threads()), 0.0f);
  const auto* from = reinterpret_cast<const Bf16*>(block.view().data);
  const int64_t step = 4 * kLanes<float>;
  team.split(values / step, 1, [&](int64_t begin, int64_t end) {
    Lanes<float> sum[4] = {zero_lanes<float>(), zero_lanes<float>(), zero_lanes<float>(), zero_lanes<float>()};
    for (int64_t i = begin; i < end; ++i)
      for (int k = 0; k < 4; ++k)
        sum[k] = Eigen::internal::padd(sum[k], load<float>(from + i * step + k * kLanes<float>));
    for (int k = 1; k < 4; ++k) sum[0] = Eigen::internal::padd(sum[0], sum[k]);
    sums[begin == 0 ? 0 : sums.size() - 1] = sum_of_lanes<float>(sum[0]);
  });
  return sums[0];
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t context = argc > 1 ? std::max(16, std::atoi(argv[1])) : 8192;
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  constexpr int64_t kLayers = 30, kHeads = 9, kKvHeads = 3, kDim = 64;
  std::vector<StoredBlock> keys, values;
  const Matrix<float> rows = Matrix<float>::Random(context, kKvHeads * kDim);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    keys.emplace_back(Rows<float>(rows), kKvHeads, kv::Dtype::bf16);
    values.emplace_back(Rows<float>(rows), kKvHeads, kv::Dtype::bf16);
  }
  const Matrix<float> query = Matrix<float>::Random(1, kHeads * kDim);
  const double bytes = static_cast<double>(kLayers * context * kKvHeads * kDim * 2 * 2);
  fmt::print(
      "attend beside a read probe: {} tokens, {} layers, {} KV heads of {}, bf16, {:.1f} MB a step, compiler {}\n\n",
      context, kLayers, kKvHeads, kDim, bytes * 1e-6, __VERSION__);
  fmt::print("{:>7}  {:>9}  {:>8}  {:>8}  {:>8}\n", "threads", "ms a step", "GB/s", "probe", "of probe");
  for (const int threads : {1, 2}) {
    Team team(threads);
    const Run run{team};
    std::vector<double> ratios, ours, probes;
    float sink = 0;
    for (int round = 0; round < rounds; ++round) {
      const double start = seconds_now();
      for (size_t layer = 0; layer < kLayers; ++layer)
        sink +=
            attend<float>(query, keys[layer].view(), values[layer].view(), {kHeads, 0.125, 0, context - 1}, run)(0, 0);
      const double middle = seconds_now();
      for (size_t layer = 0; layer < kLayers; ++layer)
        sink += read_probe(keys[layer], context * kKvHeads * kDim, team) +
                read_probe(values[layer], context * kKvHeads * kDim, team);
      const double end = seconds_now();
      ours.push_back(middle - start);
      probes.push_back(end - middle);
      ratios.push_back((end - middle) / (middle - start));
    }
    asm volatile("" : : "g"(&sink) : "memory");
    const auto median = [](std::vector<double> v) {
      std::nth_element(v.begin(), v.begin() + static_cast<int64_t>(v.size() / 2), v.end());
      return v[v.size() / 2];
    };
    fmt::print("{:>7}  {:>9.2f}  {:>8.1f}  {:>8.1f}  {:>8.2f}\n", threads, median(ours) * 1e3,
               bytes * 1e-9 / median(ours), bytes * 1e-9 / median(probes), median(ratios));
  }
}
