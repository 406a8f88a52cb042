#include "viewer/draw/growth_fill.h"

#include <algorithm>

#include "viewer/session/attention_view.h"

namespace kv::viewer {

namespace {

// One span of positions, cut where the ring wraps.
void add(std::vector<FillSpan>& spans, int64_t begin, int64_t end, bool kept, int64_t ring) {
  while (begin < end) {
    const int64_t column = begin % ring;
    const int64_t count = std::min(end - begin, ring - column);
    spans.push_back({column, begin, count, kept});
    begin += count;
  }
}

}  // namespace

int64_t ring_of(const GrowthLane& lane, const Strip& strip) {
  const int64_t capacity = lane.view ? lane.view->facts->capacity : std::max<int64_t>(1, lane.context);
  if (strip.window == 0) return capacity;
  return lane.view ? layout_of(*lane.view->facts).slots(strip.first_layer) : std::min(capacity, strip.window);
}

std::vector<FillSpan> spans_of(const GrowthLane& lane, const Strip& strip, bool by_slot) {
  const int64_t kept = strip.window > 0 ? std::min(lane.context, strip.window) : lane.context;
  const int64_t first_kept = lane.context - kept;
  std::vector<FillSpan> spans;
  if (by_slot && strip.window > 0) {
    const int64_t ring = ring_of(lane, strip);
    add(spans, std::max<int64_t>(0, lane.context - ring), first_kept, false, ring);
    add(spans, first_kept, lane.context, true, ring);
  } else {
    if (first_kept > 0) spans.push_back({0, 0, first_kept, false});
    if (kept > 0) spans.push_back({first_kept, first_kept, kept, true});
  }
  return spans;
}

int64_t newest_column(const GrowthLane& lane, const Strip& strip, bool by_slot) {
  const int64_t newest = lane.context - 1;
  return by_slot && strip.window > 0 ? newest % ring_of(lane, strip) : newest;
}

std::optional<int64_t> kept_position(const std::vector<FillSpan>& spans, int64_t column) {
  for (const FillSpan& span : spans)
    if (span.kept && column >= span.column && column < span.column + span.count)
      return span.position + column - span.column;
  return std::nullopt;
}

}  // namespace kv::viewer
