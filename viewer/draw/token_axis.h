// TokenAxis: the one horizontal axis of maps, ruler and scrubber. Tokens go to the right, all lanes share it.
#pragma once

#include <cstdint>
#include <vector>

namespace kv::viewer {

struct TokenAxis {
  float left = 0;      // x of token 0's left edge
  float width = 0;     // of the maps
  double tokens = 32;  // across the width

  double token_width() const { return static_cast<double>(width) / tokens; }
  // The left edge of a token's column; of `context`, the right edge of the newest: where the playhead stands.
  float x_of(int64_t position) const {
    return left + static_cast<float>(token_width() * static_cast<double>(position));
  }
  // The token under x, perhaps beyond the axis.
  int64_t position_at(float x) const;
  // There is a gap between columns.
  bool separated() const { return token_width() >= 8; }
  float gap() const { return separated() ? 1.f : 0.f; }
};

// The power of two at or above max(32, furthest): tokens across, for a run seen so far.
int64_t axis_for(int64_t furthest);
// Token counts at which the ruler has ticks: 8 equal parts and the end.
std::vector<int64_t> ticks_of(const TokenAxis& axis);

}  // namespace kv::viewer
