#include "viewer/session/recording.h"

#include <algorithm>

namespace kv::viewer {

int64_t RunView::last_step() const {
  int64_t last = -1;
  for (const LaneView& lane : lanes) last = std::max(last, lane.last_step());
  return last;
}

}  // namespace kv::viewer
