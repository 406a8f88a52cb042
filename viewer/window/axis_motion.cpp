#include "viewer/window/axis_motion.h"

#include <algorithm>
#include <cmath>

#include "viewer/draw/token_axis.h"

namespace kv::viewer {

namespace {
// Gentle at both ends, 0..1.
double eased(double share) { return share * share * (3 - 2 * share); }
}  // namespace

bool AxisMotion::advance(double seconds, int64_t context, Now now) {
  if (now.dragging) return false;
  const double before = shown_;
  if (const auto wanted = static_cast<double>(axis_for(context)); wanted > target_) {
    from_ = shown_;
    target_ = wanted;
    since_ = 0;
  }
  since_ = now.playing && !now.reduced_motion ? std::min(since_ + seconds, kGlide) : kGlide;
  // Lengths are compared by ratio, so half of the glide is half of the doubling.
  shown_ = since_ >= kGlide ? target_ : from_ * std::pow(target_ / from_, eased(since_ / kGlide));
  return shown_ != before;
}

void AxisMotion::fit(int64_t context) {
  shown_ = from_ = target_ = static_cast<double>(axis_for(context));
  since_ = kGlide;
}

}  // namespace kv::viewer
