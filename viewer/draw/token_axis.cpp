#include "viewer/draw/token_axis.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kv::viewer {

namespace {
constexpr int64_t kShortest = 32;
constexpr int64_t kParts = 8;
}  // namespace

int64_t TokenAxis::position_at(float x) const {
  return static_cast<int64_t>(std::floor(static_cast<double>(x - left) / token_width()));
}

int64_t axis_for(int64_t furthest) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(kShortest, furthest))));
}

std::vector<int64_t> ticks_of(const TokenAxis& axis) {
  // While the axis grows its length lies between two powers of two; the ticks are already those of the longer one.
  const int64_t apart = axis_for(static_cast<int64_t>(std::ceil(axis.tokens))) / kParts;
  std::vector<int64_t> ticks;
  for (int64_t tick = 0; static_cast<double>(tick) <= axis.tokens; tick += apart) ticks.push_back(tick);
  return ticks;
}

}  // namespace kv::viewer
