// Team: the threads. One persistent team of std::threads; the caller is its first member.
//
// Work is cut into contiguous ranges, one a member. The results never depend on the cut, because every output is
// computed by one member in an order that knows nothing of threads.
#pragma once

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
  // threads >= 1; throws std::invalid_argument otherwise.
  explicit Team(int threads = 1);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(begin, end) on ranges that cover 0 .. count, each a multiple of `grain` but perhaps the last, and
  // returns when all are done. The first exception that a member throws is thrown again here.
  void split(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)>& work);

 private:
  void serve(int member);
  void take_part(int member) noexcept;

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
