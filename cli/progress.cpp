#include "cli/progress.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "cli/tell.h"

namespace kv::cli {

Progress::Progress(std::string what) : what_(std::move(what)), teller_([this] { wait_and_tell(); }) {}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_one();
  if (teller_.joinable()) teller_.join();
}

void Progress::wait_and_tell() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return finished_; })) tell("kvlab: " + what_ + " ...");
}

}  // namespace kv::cli
