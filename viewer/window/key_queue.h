// KeyQueue: what GLFW tells of keys, handed to Dear ImGui frame by frame. Dear ImGui 1.86 looks at keys once a frame and
// would miss one that goes down and up in between, which a quick hand or a slow frame makes likely.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

namespace kv::viewer {

struct KeyEvent {
  int key = 0, scancode = 0, action = 0, modifiers = 0;  // in GLFW's numbers
};

class KeyQueue {
 public:
  void push(KeyEvent event) { waiting_.push_back(event); }
  bool empty() const { return waiting_.empty(); }

  // The events up to the second of a key.
  std::vector<KeyEvent> next_frame() {
    std::vector<KeyEvent> events;
    while (!waiting_.empty()) {
      const auto same = [this](const KeyEvent& event) { return event.key == waiting_.front().key; };
      if (std::any_of(events.begin(), events.end(), same)) break;
      events.push_back(waiting_.front());
      waiting_.pop_front();
    }
    return events;
  }

 private:
  std::deque<KeyEvent> waiting_;
};

}  // namespace kv::viewer
