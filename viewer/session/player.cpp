#include "viewer/session/player.h"

#include <algorithm>

namespace kv::viewer {

void Player::play() { playing_ = true; }

void Player::pause() {
  playing_ = false;
  phase_ = 1;
}

// Not a number: the usual speed.
void Player::set_speed(double steps_a_second) {
  speed_ = steps_a_second == steps_a_second ? std::clamp(steps_a_second, kSlowest, kFastest) : kUsual;
}

void Player::go_to(int64_t step, int64_t last) {
  pause();
  step_ = std::clamp<int64_t>(step, 0, std::max<int64_t>(last, 0));
}

void Player::step_by(int64_t steps, int64_t last) { go_to(step_ + steps, last); }

bool Player::advance(double seconds, int64_t last, bool ended) {
  if (!playing_) return false;
  // What was recorded may have shrunk by a branch, and may not have begun.
  const int64_t step = step_;
  const double phase = phase_;
  step_ = std::min(step_, std::max<int64_t>(last, 0));
  phase_ += std::max(seconds, 0.0) * speed_;
  if (phase_ >= 1 && step_ < last) {
    const auto whole = static_cast<int64_t>(std::min(phase_, static_cast<double>(last - step_)));
    step_ += whole;
    phase_ -= static_cast<double>(whole);
  }
  phase_ = std::min(phase_, 1.0);
  if (phase_ == 1 && step_ >= last && ended) playing_ = false;
  return step_ != step || phase_ != phase || !playing_;
}

}  // namespace kv::viewer
