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
// and a round of less than a millisecond is sometimes left alone on a busy machine too. Asked to stop, the shortest so
// far, or 0.
double shortest_round(const std::stop_token& stop, const std::function<void()>& round) {
  round();
  double best = 0;
  const double begin = seconds_now();
  for (double start = begin; !stop.stop_requested() && (best == 0 || start - begin < kSecondsEach);) {
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
double read_speed(Team& team, const std::stop_token& stop) {
  constexpr int64_t kStep = 8 * kLanes<float>, kSlice = (int64_t{16} << 20) / int64_t{sizeof(float)};
  const int64_t slices = buffer_bytes() / int64_t{sizeof(float)} / kSlice;
  const std::unique_ptr<float[]> buffer(new float[static_cast<size_t>(slices * kSlice)]);
  for (int64_t slice = 0; slice < slices && !stop.stop_requested(); ++slice) {
    float* to = buffer.get() + kSlice * slice;
    team.split(kSlice, kStep, [to](int64_t begin, int64_t end) { std::fill(to + begin, to + end, 1.0f); });
  }
  if (stop.stop_requested()) return 0;
  int64_t slice = 0;
  const double seconds = shortest_round(stop, [&] {
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

double fused_speed(Team& team, const std::stop_token& stop) {
  constexpr int64_t kSteps = 100'000;
  const double seconds = shortest_round(stop, [&] {
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

std::optional<MachineSpeeds> measure_this_machine(int threads, const std::stop_token& stop) {
  Team team(threads, 1);
  const MachineSpeeds speeds = {team.threads(), read_speed(team, stop), fused_speed(team, stop), usable_memory()};
  return stop.stop_requested() ? std::nullopt : std::optional(speeds);
}

MachineSpeeds measure_this_machine(int threads) { return *measure_this_machine(threads, {}); }

}  // namespace kv::cpu
