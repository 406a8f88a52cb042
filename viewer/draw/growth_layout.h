// GrowthLayout: where lanes, layers and heads lie in the first scene. Height is bytes of a token, width is tokens, so
// area is memory, at one scale for everything on the screen.
//
// u is the height of `unit_values` numbers of one token in one layer: the head_dim of the lane with the largest cache a
// token. A strip is as high as its values: values / unit_values x u (times the ratio of the types' sizes, where lanes
// store different types).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config.h"
#include "viewer/draw/geometry.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/token_axis.h"
#include "viewer/session/role.h"

namespace kv::viewer {

// Vectors that are drawn as one bar: a KV head's K, say, or where these would be under a pixel all heads' K, or of
// several layers.
struct Strip {
  Role role = Role::key;
  int64_t first_layer = 0, layers = 1;
  int64_t first_head = 0, heads = 1;
  int64_t values = 0;  // numbers stored for a token
  int64_t window = 0;  // positions that its layers keep; 0: all
  Rect box;            // across the whole map; in a zoom perhaps half of it

  bool operator==(const Strip&) const = default;
};

// A layer, or several that are drawn as one.
struct Band {
  int64_t first_layer = 0, layers = 1;
  Rect box;
  std::vector<Strip> strips;  // K above V, heads in order
};

struct LaneLayout {
  Rect box;  // with its text line; empty when the window has no room for the lane
  Rect text_line;
  Rect names, readouts;
  std::vector<Band> bands;  // none for layers that store nothing
  bool folded = false;      // only its text line is shown, because another lane is zoomed into

  bool shown() const { return box.height() > 0; }
  // From the first band's upper edge to the last one's lower edge.
  Rect bands_box() const;
};

struct GrowthLayout {
  TokenAxis axis;
  float u = 4;                        // pixels
  int64_t unit_values = 0;            // numbers in one u
  double bytes_per_square_pixel = 0;  // one for all lanes
  int64_t layers_per_band = 1;
  float least_lane = 92;   // how low a lane may be: what stands beside it depends on that
  int zoomed = -1;         // the lane that is zoomed into
  float value_pixels = 1;  // in a zoom: the height of one number, 1/2 when a row is the mean of two, ...
  std::vector<LaneLayout> lanes;
  Rect headline, sub_line, ruler;

  // Of a strip: in a zoom with K and V side by side each has half of the map.
  TokenAxis axis_of(const Strip& strip) const { return {strip.box.left, strip.box.width(), axis.tokens}; }
};

// What a lane stores, whether it runs or not.
struct LaneShape {
  const ModelConfig* config = nullptr;
  Dtype cache_dtype = Dtype::bf16;
};
GrowthLayout growth_layout_of(const std::vector<LaneShape>& lanes, const Regions& regions, const ViewState& view);

}  // namespace kv::viewer
