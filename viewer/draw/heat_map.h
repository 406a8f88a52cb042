// HeatMap: the stored vectors of a lane as texels: one column a framebuffer pixel or a token, whichever is wider; one
// row a strip. Baked here, so that what is drawn can be compared with what is stored.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "viewer/draw/growth_layout.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/picture.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// Positions of a column: [first, last). Of `columns_of`, the number of columns that hold `context` positions.
struct Bin {
  int64_t first = 0, last = 0;
};
Bin bin_of(int64_t column, double tokens_per_column);
int64_t columns_of(int64_t context, double tokens_per_column);
// Tokens in a column of an axis: 1 where a token has a pixel or more.
double tokens_per_column(const TokenAxis& axis);

// How strong a texel is, before colours: the mean, over its tokens (and heads or layers, where these are merged), of
// vector RMS over the layer's largest among the first `context` positions. [rows][columns], row-major.
struct HeatMap {
  int columns = 0, rows = 0;
  std::vector<float> strengths;

  float at(int row, int column) const { return strengths[static_cast<size_t>(row * columns + column)]; }
};
HeatMap heat_map_of(const LaneView& lane, const LaneLayout& layout, int64_t context, double tokens_per_column);

// The numbers of one layer, one row a number or the mean of a few, one column as above: [rows][columns]; and of each
// strip, in `scales`, what the colours' ends stand for: the largest absolute number of its role.
struct ValueMap {
  int columns = 0, rows = 0;
  std::vector<float> values;
  std::vector<float> scales;  // [strips]

  float at(int row, int column) const { return values[static_cast<size_t>(row * columns + column)]; }
};
ValueMap value_map_of(const LaneView& lane, const Band& band, int64_t context, double tokens_per_column,
                      int64_t values_per_row);

// Texels of lanes, kept until something that they show changes. Only what changed is baked again.
class HeatMaps {
 public:
  // Ready to be drawn with Picture::image, once for each strip: row r of as many rows as the lane has strips. Columns
  // from `context` on are transparent, and so are those that make the width a power of two.
  Image image_of(const LaneView& lane, int index, const LaneLayout& layout, int64_t context, double tokens_per_column,
                 const Palette& palette);

  // The numbers of a layer, in a zoom. Valid until the next call.
  struct Values {
    Image image;
    const ValueMap* map = nullptr;
  };
  Values values_of(const LaneView& lane, int index, const Band& band, int64_t context, double tokens_per_column,
                   int64_t values_per_row, const Palette& palette);

 private:
  struct Kept;
  struct KeptValues;
  std::map<int, std::shared_ptr<Kept>> kept_;
  std::shared_ptr<KeptValues> kept_values_;
  uint64_t versions_ = 0;
};

}  // namespace kv::viewer
