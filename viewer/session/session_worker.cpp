#include "viewer/session/session_worker.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>

#include "cpu_reference/this_machine.h"

namespace kv::viewer {

namespace {

// A run without the cache takes at least twice as long as one of half the context. From here on the next one is left
// out: it would hold up whoever wants to branch or to leave.
constexpr double kLongWithoutCache = 0.25;

// This machine, measured once by the whole program for each number of threads; nothing when asked to stop.
std::optional<Speeds> measured_speeds(int threads, const std::stop_token& stop) {
  static std::mutex mutex;
  static std::map<int, Speeds> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  const std::optional<cpu::MachineSpeeds> measured = cpu::measure_this_machine(threads, stop);
  if (!measured) return std::nullopt;
  return known[threads] = {measured->read_bytes_per_second, measured->fused_flops_per_second};
}

}  // namespace

void Session::Worker::work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return closing || (holds == 0 && (task = next_task())); });
      if (closing) return;
      busy = true;
    }
    task();
    {
      const std::lock_guard lock(mutex);
      busy = false;
    }
    changed.notify_all();
    if (on_progress) on_progress();
  }
}

// What to do now; nothing: wait.
std::function<void()> Session::Worker::next_task() {
  if (asleep) return nullptr;
  for (size_t i = 0; i < recorders.size(); ++i) {
    const size_t lane = (turn + i) % recorders.size();
    if (!recorders[lane]->lacks(wanted + kAhead)) continue;
    turn = lane + 1;
    return [this, recorder = recorders[lane].get()] { recorder->advance(team); };
  }
  if (!measured) return [this] { measure(); };
  return next_without_cache();
}

std::function<void()> Session::Worker::next_without_cache() {
  for (int64_t context = kLeastWithoutCache; context <= kLargestWithoutCache; context *= 2)
    for (size_t lane = 0; lane < recorders.size(); ++lane) {
      const LaneView view = recorders[lane]->view();
      if (view.steps.empty() || context < view.steps.front().context() || context > view.steps.back().context())
        continue;
      const auto& ran = view.without_cache;
      const auto is_here = [&](const StepWithoutCache& step) { return step.context == context; };
      if (left_out[lane].contains(context) || std::any_of(ran.begin(), ran.end(), is_here)) continue;
      if (!ran.empty() && ran.back().context < context && ran.back().time.median > kLongWithoutCache) continue;
      return [this, context, lane, recorder = recorders[lane].get()] {
        try {
          recorder->run_without_cache(context, team);
        } catch (const std::exception&) {
          // Nothing depends on it: this context stays without a dot.
          const std::lock_guard lock(mutex);
          left_out[lane].insert(context);
        }
      };
    }
  return nullptr;
}

void Session::Worker::measure() {
  std::optional<Speeds> speeds;
  try {
    speeds = measured_speeds(settings.threads, leaving.get_token());
  } catch (const std::exception&) {
    // Without memory for it, there are no predictions for this machine.
  }
  const std::lock_guard lock(mutex);
  measured = true;
  for (const auto& recorder : recorders)
    if (speeds && !recorder->view().machine) recorder->set_machine(*speeds);
}

// A replay wakes up when it is asked for more than it holds.
void Session::Worker::want(int64_t step) {
  wanted = step;
  if (!holds_step(step)) asleep = false;
}

bool Session::Worker::holds_step(int64_t step) const {
  return std::none_of(recorders.begin(), recorders.end(), [&](const auto& recorder) { return recorder->lacks(step); });
}

}  // namespace kv::viewer
