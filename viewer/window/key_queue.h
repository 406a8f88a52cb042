// KeyQueue: what GLFW tells of keys, handed to Dear ImGui frame by frame. Dear ImGui 1.86 looks at keys once a frame
// and would miss one that goes down and up in between, which a quick hand or a slow frame makes likely.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

namespace kv::viewer {

// In GLFW's numbers.
struct KeyEvent {
  int key = 0, scancode = 0, action = 0, modifiers = 0;
};

class KeyQueue {
 public:
  void push(KeyEvent event) { waiting_.push_back(event); }
  bool empty() const { return waiting_.empty(); }

  // The events up to the second of a key, or up to a release after a key that commands: of Ctrl+V too Ctrl may come up
  // first. Letters by themselves hold nothing up: their text comes another way.
  std::vector<KeyEvent> next_frame() {
    std::vector<KeyEvent> events;
    while (!waiting_.empty()) {
      const KeyEvent next = waiting_.front();
      const auto same = [next](const KeyEvent& event) { return event.key == next.key; };
      if (!is_text(next) && std::any_of(events.begin(), events.end(), same)) break;
      if (next.action == kRelease && std::any_of(events.begin(), events.end(), commands)) break;
      events.push_back(next);
      waiting_.pop_front();
    }
    return events;
  }

 private:
  static constexpr int kRelease = 0, kPress = 1;

  static bool is_text(KeyEvent event) {
    constexpr int kFirst = 32, kLast = 162;  // GLFW_KEY_SPACE to GLFW_KEY_WORLD_2
    constexpr int kCommand = 0x2 | 0x8;      // GLFW_MOD_CONTROL, GLFW_MOD_SUPER
    return event.key >= kFirst && event.key <= kLast && (event.modifiers & kCommand) == 0;
  }
  static bool commands(KeyEvent event) {
    constexpr int kFirst = 340, kLast = 347;  // GLFW_KEY_LEFT_SHIFT to GLFW_KEY_RIGHT_SUPER
    const bool modifies = event.key >= kFirst && event.key <= kLast;
    return event.action == kPress && !modifies && !is_text(event);
  }

  std::deque<KeyEvent> waiting_;
};

}  // namespace kv::viewer
