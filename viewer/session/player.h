// Player: where the playhead is. It plays what is recorded, at the reader's speed, and waits where nothing is yet.
#pragma once

#include <cstdint>

namespace kv::viewer {

class Player {
 public:
  static constexpr double kSlowest = 1, kUsual = 8, kFastest = 128;  // steps a second

  int64_t step() const { return step_; }
  // Since the step began, 0..1. 1 when it is not playing: a paused picture is a finished step.
  double phase() const { return phase_; }
  bool playing() const { return playing_; }
  double speed() const { return speed_; }

  void play();
  void pause();
  void set_speed(double steps_a_second);  // kept within kSlowest .. kFastest
  // Both pause, and stay within 0 .. last.
  void go_to(int64_t step, int64_t last);
  void step_by(int64_t steps, int64_t last);

  // Time passes. `last`: the last recorded step, -1 for none; `ended`: no more will be recorded, so that playing ends
  // there. True when something that is drawn has changed.
  bool advance(double seconds, int64_t last, bool ended);

 private:
  int64_t step_ = 0;
  double phase_ = 1;
  bool playing_ = false;
  double speed_ = kUsual;
};

}  // namespace kv::viewer
