// Pace: when a frame is due. One when something asks for it, at most so many a second; none while nothing does.
#pragma once

#include <algorithm>

namespace kv::viewer {

class Pace {
 public:
  static constexpr double kUsual = 60, kSoftware = 20;  // frames a second at most
  static constexpr int kFramesAnEvent = 3;              // Dear ImGui settles over some frames
  static constexpr double kIdle = 0.5;                  // seconds between looks at the world while nothing happens

  explicit Pace(double most_a_second) : apart_(1 / most_a_second) {}

  void event() { owed_ = kFramesAnEvent; }
  void change() { owed_ = std::max(owed_, 1); }

  bool due(double now) const { return owed_ > 0 && now >= last_ + apart_; }
  void drawn(double now) {
    last_ = now;
    owed_ = std::max(owed_ - 1, 0);
  }
  // How long to wait for events. `animating`: something changes with time alone.
  double wait(double now, bool animating) const {
    if (owed_ == 0 && !animating) return kIdle;
    return std::clamp(last_ + apart_ - now, 0.0, apart_);
  }

 private:
  double apart_;
  double last_ = -1;
  int owed_ = kFramesAnEvent;
};

}  // namespace kv::viewer
