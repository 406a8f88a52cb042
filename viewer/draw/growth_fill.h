// Which columns of a strip are filled, and with which positions: by position, or by slot as the ring lies in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

// Neighbouring positions in neighbouring columns.
struct FillSpan {
  int64_t column = 0;    // the first: a position, or a slot
  int64_t position = 0;  // that stands in it
  int64_t count = 0;
  bool kept = true;  // false: computed once, and no longer stored for the next token

  bool operator==(const FillSpan&) const = default;
};

// Slots of the strip's layers in the model's own cache; the capacity without a window.
int64_t ring_of(const GrowthLane& lane, const Strip& strip);

// In order of positions. The counts of the kept ones add up to min(context, window).
std::vector<FillSpan> spans_of(const GrowthLane& lane, const Strip& strip, bool by_slot);

// The column of the newest token.
int64_t newest_column(const GrowthLane& lane, const Strip& strip, bool by_slot);
// The position that is kept in a column.
std::optional<int64_t> kept_position(const std::vector<FillSpan>& spans, int64_t column);

}  // namespace kv::viewer
