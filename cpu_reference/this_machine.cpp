#include "cpu_reference/this_machine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "cpu_reference/lanes.h"
#include "cpu_reference/team.h"

namespace kv::cpu {

namespace {

using Float = Lanes<float>;

constexpr int kAccumulators = 12;  // more than a multiply-add takes cycles, on as many ports as there are
constexpr double kSecondsEach = 0.4;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Makes the compiler believe that the value is used.
void keep(float value) { asm volatile("" : : "g"(value) : "memory"); }

// The shortest of as many rounds as fit the time, after one that is not counted: what disturbs only ever costs time,
// and a round of less than a millisecond is sometimes left alone on a busy machine too.
double shortest_round(const std::function<void()>& round) {
  round();
  double best = 0;
  const double begin = seconds_now();
  for (double start = begin; best == 0 || start - begin < kSecondsEach;) {
    round();
    const double end = seconds_now();
    if (best == 0 || end - start < best) best = end - start;
    start = end;
  }
  return best;
}

// Bytes that no cache holds: four times the largest cache that the system knows of, within reason.
int64_t buffer_bytes() {
  constexpr int64_t kLeast = int64_t{256} << 20, kMost = int64_t{1} << 30;
  return std::clamp<int64_t>(4 * int64_t{::sysconf(_SC_LEVEL3_CACHE_SIZE)}, kLeast, kMost);
}

// Each round reads another slice, and comes back to a slice when the caches have long forgotten it.
double read_speed(Team& team) {
  constexpr int64_t kStep = 8 * kLanes<float>, kSlice = (int64_t{16} << 20) / int64_t{sizeof(float)};
  const int64_t slices = buffer_bytes() / int64_t{sizeof(float)} / kSlice;
  const std::unique_ptr<float[]> buffer(new float[static_cast<size_t>(slices * kSlice)]);
  team.split(slices * kSlice, kStep,
             [&](int64_t begin, int64_t end) { std::fill(buffer.get() + begin, buffer.get() + end, 1.0f); });
  int64_t slice = 0;
  const double seconds = shortest_round([&] {
    const float* from = buffer.get() + kSlice * (slice++ % slices);
    team.split(kSlice / kStep, 1, [&](int64_t begin, int64_t end) {
      Float sums[8];
      for (Float& sum : sums) sum = zero_lanes<float>();
      for (int64_t i = begin; i < end; ++i)
        for (int k = 0; k < 8; ++k)
          sums[k] = Eigen::internal::padd(sums[k], load<float>(from + i * kStep + k * kLanes<float>));
      for (int k = 1; k < 8; ++k) sums[0] = Eigen::internal::padd(sums[0], sums[k]);
      keep(sum_of_lanes<float>(sums[0]));
    });
  });
  return static_cast<double>(kSlice) * sizeof(float) / seconds;
}

double fused_speed(Team& team) {
  constexpr int64_t kSteps = 100'000;
  const double seconds = shortest_round([&] {
    team.split(team.threads(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t member = begin; member < end; ++member) {
        const Float scale = all_lanes(0.999f), shift = all_lanes(0.001f);
        Float sums[kAccumulators];
        for (int k = 0; k < kAccumulators; ++k) sums[k] = all_lanes(static_cast<float>(k));
        for (int64_t step = 0; step < kSteps; ++step)
          for (int k = 0; k < kAccumulators; ++k) sums[k] = fused(sums[k], scale, shift);
        for (int k = 1; k < kAccumulators; ++k) sums[0] = Eigen::internal::padd(sums[0], sums[k]);
        keep(sum_of_lanes<float>(sums[0]));
      }
    });
  });
  return 2.0 * kAccumulators * kLanes<float> * static_cast<double>(kSteps * team.threads()) / seconds;
}

}  // namespace

// The limit is that of control groups, version 2.
int64_t usable_memory() {
  const int64_t built_in = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  int64_t limit = 0;
  std::ifstream file("/sys/fs/cgroup/memory.max");
  return file >> limit && limit > 0 ? std::min(built_in, limit) : built_in;
}

MachineSpeeds measure_this_machine(int threads) {
  Team team(threads, 1);
  return {team.threads(), read_speed(team), fused_speed(team), usable_memory()};
}

}  // namespace kv::cpu
