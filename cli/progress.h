// Progress: says on stderr what is being done, once it has taken a second. Quick work stays silent.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kv::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The work is done, or something else now shows that it goes on. May be called again.
  void finish();

 private:
  void wait_and_tell();

  std::string what_;
  bool finished_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread teller_;  // last: it uses the others
};

}  // namespace kv::cli
