// Wake: how other threads tell the window that something has changed. Runs outlive the window, so it may be gone.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace kv::viewer {

class Wake {
 public:
  // `post` interrupts the wait for events; any thread may call it.
  explicit Wake(std::function<void()> post) : state_(std::make_shared<State>()) {
    state_->post = std::move(post);
    state_->open = true;
  }
  ~Wake() { state_->open = false; }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  std::function<void()> caller() const {
    return [state = state_] {
      state->called = true;
      if (state->open) state->post();
    };
  }
  // Once for all calls since the last time.
  bool take() { return state_->called.exchange(false); }

 private:
  struct State {
    std::function<void()> post;
    std::atomic<bool> called = false, open = false;
  };
  std::shared_ptr<State> state_;
};

}  // namespace kv::viewer
