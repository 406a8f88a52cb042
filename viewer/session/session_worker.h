// The session's worker: the thread that records, and what it shares with the session's owner. No other file needs it.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "viewer/session/recorder.h"
#include "viewer/session/session.h"

namespace kv::viewer {

struct Session::Worker {
  Worker(SessionSettings given, std::vector<std::unique_ptr<Recorder>> lanes, bool sleeping,
         std::function<void()> progress)
      : settings(std::move(given)),
        on_progress(std::move(progress)),
        team(settings.threads),
        recorders(std::move(lanes)),
        left_out(recorders.size()),
        asleep(sleeping),
        measured(std::all_of(recorders.begin(), recorders.end(),
                             [](const auto& recorder) { return recorder->view().machine.has_value(); })) {
    thread = std::thread([this] { work(); });
  }
  ~Worker() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
    }
    leaving.request_stop();
    wake.notify_all();
    thread.join();
  }

  // While one lives, nothing is recorded and the recorders are its owner's.
  class Hold {
   public:
    explicit Hold(Worker& worker) : worker_(worker), lock_(worker.mutex) {
      ++worker.holds;
      worker.changed.wait(lock_, [&] { return !worker.busy; });
    }
    ~Hold() {
      --worker_.holds;
      lock_.unlock();
      worker_.wake.notify_all();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Worker& worker_;
    std::unique_lock<std::mutex> lock_;
  };

  void work();
  std::function<void()> next_task();
  std::function<void()> next_without_cache();
  void measure();
  void want(int64_t step);
  bool holds_step(int64_t step) const;

  SessionSettings settings;
  std::function<void()> on_progress;
  cpu::Team team;

  std::mutex mutex;                       // guards all that follows
  std::condition_variable wake, changed;  // for the worker; for who waits for it
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<std::set<int64_t>> left_out;  // [lanes] contexts that are not run without the cache
  int64_t wanted = 0;
  size_t turn = 0;  // the lane that comes next
  int holds = 0;
  bool busy = false;    // a task runs, without the mutex
  bool asleep = false;  // a replay that nobody has asked to go on
  bool measured;
  bool closing = false;
  std::stop_source leaving;  // tells a measurement that nobody waits for it any more
  std::thread thread;
};

}  // namespace kv::viewer
