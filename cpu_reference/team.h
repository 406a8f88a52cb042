// Team: the threads. One persistent team of std::threads; the caller is its first member.
//
// Work is cut into contiguous ranges, one a member. The results never depend on the cut, because every output is
// computed by one member in an order that knows nothing of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kv::cpu {

class Team {
 public:
  // Multiply-adds that are worth handing to another thread: some ten microseconds of work. Waking a thread takes a few,
  // and far more on a busy machine.
  static constexpr int64_t kWorthSplitting = int64_t{1} << 17;

  // Throws std::invalid_argument unless threads >= 1, and std::runtime_error when the system cannot start them. Tests
  // split everything with worth_splitting = 1.
  explicit Team(int threads = 1, int64_t worth_splitting = kWorthSplitting);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // A grain for split: as many items of about `cost` multiply-adds each as are worth handing to another thread.
  int64_t worthwhile(int64_t cost) const { return std::max<int64_t>(1, worth_splitting_ / std::max<int64_t>(1, cost)); }

  // Calls work(begin, end) on ranges that cover 0 .. count, each a multiple of `grain` but perhaps the last, and
  // returns when all are done. The first exception that a member throws is thrown again here.
  void split(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)>& work);

 private:
  void dismiss();
  void serve(int member);
  void take_part(int member) noexcept;

  int64_t worth_splitting_;

  // The current round. Written by the caller before it raises `round_`, read by the workers after they see that.
  const std::function<void(int64_t, int64_t)>* work_ = nullptr;
  int64_t count_ = 0, grain_ = 1;
  bool stopping_ = false;
  std::mutex error_mutex_;
  std::exception_ptr error_;

  std::atomic<uint32_t> round_{0};
  std::atomic<uint32_t> busy_{0};
  std::vector<std::thread> workers_;
};

}  // namespace kv::cpu
