#include "viewer/window/open_file.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace kv::viewer {

struct OpenFile::Task {
  std::mutex mutex;
  bool given_up = false;
  bool ended = false;
  Result result;
};

std::string sentence_of(const std::exception_ptr& failure) {
  std::string text;
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "there is not enough memory for this model";
  } catch (const std::exception& error) {
    text = error.what();
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void OpenFile::start(std::string name, Open open) {
  give_up();
  name_ = std::move(name);
  current_ = std::make_shared<Task>();
  threads_.emplace_back([task = current_, open = std::move(open), wake = wake_] {
    Result result;
    try {
      result.session = open();
    } catch (...) {
      result.failure = std::current_exception();
    }
    {
      const std::lock_guard lock(task->mutex);
      task->ended = true;
      if (!task->given_up) task->result = std::move(result);
    }
    wake();
  });
}

void OpenFile::give_up() {
  const std::shared_ptr<Task> task = std::exchange(current_, nullptr);
  if (task == nullptr) return;
  const std::lock_guard lock(task->mutex);
  task->given_up = true;
  task->result = {};
}

std::optional<OpenFile::Result> OpenFile::take() {
  if (current_ == nullptr) return std::nullopt;
  const std::shared_ptr<Task> task = current_;
  const std::lock_guard lock(task->mutex);
  if (!task->ended) return std::nullopt;
  current_ = nullptr;
  return std::move(task->result);
}

}  // namespace kv::viewer
