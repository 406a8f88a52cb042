// AxisMotion: how long the token axis is now. It grows with the run, in a moment's glide while playing; it never
// shrinks by itself, and stands still while the playhead is dragged, or the hand would lose what it holds.
#pragma once

#include <cstdint>

namespace kv::viewer {

class AxisMotion {
 public:
  static constexpr double kGlide = 0.25;  // seconds

  double tokens() const { return shown_; }

  struct Now {
    bool playing = false, dragging = false, reduced_motion = false;
  };
  // `context`: tokens up to the playhead. True when tokens() has changed.
  bool advance(double seconds, int64_t context, Now now);
  // What is seen at the playhead, and no more.
  void fit(int64_t context);

 private:
  double shown_ = 32, from_ = 32, target_ = 32;
  double since_ = kGlide;
};

}  // namespace kv::viewer
