// Timing a piece of work: once when it is long, else three times, since a short one is disturbed by anything.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "viewer/session/recording.h"

namespace kv::viewer {

inline constexpr int kTakes = 3;
inline constexpr double kShortSeconds = 0.010;  // all takes together, before another one

// Calls take(0), take(1), ...; each does the same work.
template <class Take>
Timing timed(const Take& take) {
  std::vector<double> seconds;
  double total = 0;
  while (seconds.empty() || (seconds.size() < kTakes && total < kShortSeconds)) {
    const auto start = std::chrono::steady_clock::now();
    take(static_cast<int>(seconds.size()));
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    total += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  const size_t count = seconds.size();
  const double median = count % 2 == 1 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
  return {median, seconds.front(), seconds.back(), static_cast<int>(count)};
}

}  // namespace kv::viewer
