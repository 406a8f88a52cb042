// OpenFile: a run that is being loaded on a thread, so that the window goes on meanwhile.
#pragma once

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "viewer/session/session.h"

namespace kv::viewer {

class OpenFile {
 public:
  using Open = std::function<std::unique_ptr<Session>()>;
  struct Result {
    std::unique_ptr<Session> session;  // null: it failed
    std::exception_ptr failure;        // then why
  };

  // `wake`: called by the thread when there is a result.
  explicit OpenFile(std::function<void()> wake) : wake_(std::move(wake)) {}
  // Waits for threads that have not ended: a file that is being read cannot be left halfway.
  ~OpenFile() = default;

  // Gives up what is being opened now.
  void start(std::string name, Open open);
  void give_up();

  bool busy() const { return current_ != nullptr; }
  const std::string& name() const { return name_; }
  // Once, when it is there; then nothing is being opened any more.
  std::optional<Result> take();

 private:
  struct Task;
  std::function<void()> wake_;
  std::string name_;
  std::shared_ptr<Task> current_;
  std::list<std::jthread> threads_;
};

// An exception's text, on one line.
std::string sentence_of(const std::exception_ptr& failure);

}  // namespace kv::viewer
