// GrowthScene: what the parts of the first scene draw from: its lanes at the step shown, and where they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/draw/growth_layout.h"
#include "viewer/draw/picture.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// A lane at the step shown: one that runs, or a shape that is only computed.
struct GrowthLane {
  std::string label;
  const ModelConfig* config = nullptr;
  Dtype cache_dtype = Dtype::bf16;
  const LaneView* view = nullptr;      // null: nothing runs at this size
  int runs_as = -1;                    // the lane of the run that it is, or stands for; -1: none
  int64_t context = 0;                 // tokens stored
  int64_t prompt = 0;                  // of which the prompt's, or will be
  std::optional<LaneNumbers> numbers;  // nothing while the prompt is read
  bool reading = false;                // the prompt is not complete, or not begun
  bool failed = false;                 // and the playhead stands where it failed
  bool full = false;                   // no token fits any more

  int64_t kv_bytes() const { return config->cache_bytes(context, cache_dtype); }
  bool has_window() const;
};

struct GrowthScene {
  const RunView& run;
  const ViewState& view;
  const Regions& regions;
  const Palette& palette;
  std::vector<GrowthLane> lanes;
  GrowthLayout layout;
  int selected = 0;

  // Nothing runs at this size: all numbers are predicted.
  bool predicted() const { return !lanes.empty() && lanes.front().view == nullptr; }
  const GrowthLane& lane(int index) const { return lanes[static_cast<size_t>(index)]; }
  const LaneLayout& place(int index) const { return layout.lanes[static_cast<size_t>(index)]; }
};
GrowthScene growth_scene_of(const RunView& run, const ViewState& view, const Regions& regions);

}  // namespace kv::viewer
