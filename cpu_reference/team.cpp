#include "cpu_reference/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace kv::cpu {

namespace {

// Waits until value differs from `old`: spins a little (the next operation is usually microseconds away), then sleeps.
// It does not yield between: on a busy machine that hands the core to another process for a whole time slice.
uint32_t wait_for_change(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < 4000; ++i) {
    const uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

Team::Team(int threads, int64_t worth_splitting) : worth_splitting_(worth_splitting) {
  if (threads < 1) throw std::invalid_argument(fmt::format("a team needs at least 1 thread, not {}", threads));
  try {
    for (int member = 1; member < threads; ++member) workers_.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error& error) {
    const size_t started = workers_.size() + 1;
    dismiss();
    throw std::runtime_error(fmt::format("only {} of {} threads could be started: {}", started, threads, error.what()));
  }
}

Team::~Team() { dismiss(); }

void Team::dismiss() {
  stopping_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::split(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& work) {
  if (count <= 0) return;
  if (workers_.empty() || count <= grain) {
    work(0, count);
    return;
  }
  work_ = &work;
  count_ = count;
  grain_ = grain;
  busy_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_part(0);
  for (uint32_t busy; (busy = busy_.load(std::memory_order_acquire)) != 0;) wait_for_change(busy_, busy);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Team::serve(int member) {
  uint32_t seen = 0;
  while (true) {
    seen = wait_for_change(round_, seen);
    if (stopping_) return;
    take_part(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Team::take_part(int member) noexcept {
  const int64_t grains = (count_ + grain_ - 1) / grain_;
  const int64_t begin = grains * member / threads() * grain_;
  const int64_t end = std::min(count_, grains * (member + 1) / threads() * grain_);
  if (begin >= end) return;
  try {
    (*work_)(begin, end);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace kv::cpu
