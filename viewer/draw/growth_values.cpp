// The texels of a zoom: single numbers, positive and negative.
#include <algorithm>

#include "viewer/draw/growth_texels.h"
#include "viewer/draw/heat_map.h"
#include "viewer/session/kv_store.h"

namespace kv::viewer {

namespace {

constexpr int64_t kLevels = 255;        // of colour on either side of zero
constexpr uint64_t kOwner = 1'000'000;  // of the texels; lanes have small numbers

int64_t rows_of(const Strip& strip, int64_t values_per_row) {
  return (strip.values + values_per_row - 1) / values_per_row;
}

int rows_of(const std::vector<Strip>& strips, int64_t values_per_row) {
  int64_t rows = 0;
  for (const Strip& strip : strips) rows += rows_of(strip, values_per_row);
  return static_cast<int>(rows);
}

// The bins of the columns from `begin` on, as far as there are tokens.
std::vector<Bin> bins_of(const TexelsKey& key, int64_t begin) {
  std::vector<Bin> bins;
  for (int64_t column = begin; column < columns_of(key.context(), key.tokens_per_column); ++column) {
    Bin bin = bin_of(column, key.tokens_per_column);
    bin.last = std::min(bin.last, key.context());
    bins.push_back(bin);
  }
  return bins;
}

// The mean of some columns of `numbers` [positions, values], whose first row is position `first`, over a bin.
float mean_of(const cpu::Matrix<float>& numbers, int64_t first, Bin bin, int64_t dim, int64_t dims) {
  double sum = 0;
  for (int64_t position = bin.first; position < bin.last; ++position)
    for (int64_t d = dim; d < dim + dims; ++d) sum += static_cast<double>(numbers(position - first, d));
  return static_cast<float>(sum / static_cast<double>(dims * (bin.last - bin.first)));
}

// One head's numbers over some bins: row r of its values begins at out + r * stride. `most` of a position becomes its
// largest absolute number.
void bake_strip(const KvStore& store, const Strip& strip, const std::vector<Bin>& bins, int64_t values_per_row,
                float* out, int stride, std::vector<float>& most) {
  if (bins.empty()) return;
  const int64_t first = bins.front().first, last = bins.back().last;
  const cpu::Matrix<float> numbers = store.vectors(strip.first_layer, strip.role, strip.first_head, first, last);
  for (int64_t position = first; position < last; ++position)
    most[static_cast<size_t>(position)] = numbers.row(position - first).cwiseAbs().maxCoeff();
  for (int64_t dim = 0; dim < strip.values; dim += values_per_row, out += stride)
    for (size_t i = 0; i < bins.size(); ++i)
      out[i] = mean_of(numbers, first, bins[i], dim, std::min(values_per_row, strip.values - dim));
}

// The colour's end of each strip: of its role's numbers among the first `context` positions.
std::vector<float> scales_of(const std::vector<Strip>& strips, const std::vector<std::vector<float>>& most) {
  std::vector<float> of_strip;
  for (const std::vector<float>& positions : most)
    of_strip.push_back(positions.empty() ? 0 : *std::max_element(positions.begin(), positions.end()));
  std::vector<float> scales(strips.size(), 0);
  for (size_t i = 0; i < strips.size(); ++i)
    for (size_t j = 0; j < strips.size(); ++j)
      if (strips[i].role == strips[j].role) scales[i] = std::max(scales[i], of_strip[j]);
  return scales;
}

struct Baked {
  ValueMap map;                          // as wide as the texels
  std::vector<std::vector<float>> most;  // [strips][context] largest absolute number
};

void bake(Baked& baked, const LaneView& lane, const TexelsKey& key, int64_t from_position) {
  ValueMap& map = baked.map;
  const int64_t columns = columns_of(key.context(), key.tokens_per_column);
  int64_t begin = 0;
  while (begin < columns && bin_of(begin, key.tokens_per_column).last <= from_position) ++begin;
  const std::vector<Bin> bins = bins_of(key, begin);
  size_t first_row = 0;
  for (size_t i = 0; i < key.strips.size(); ++i) {
    const Strip& strip = key.strips[i];
    baked.most[i].resize(key.tokens.size(), 0);
    float* out = map.values.data() + first_row * static_cast<size_t>(map.columns) + begin;
    bake_strip(*lane.store, strip, bins, key.values_per_row, out, map.columns, baked.most[i]);
    first_row += static_cast<size_t>(rows_of(strip, key.values_per_row));
  }
  map.scales = scales_of(key.strips, baked.most);
}

void size_for(Baked& baked, const TexelsKey& key, int columns) {
  baked.map.columns = columns;
  baked.map.rows = rows_of(key.strips, key.values_per_row);
  baked.map.values.assign(static_cast<size_t>(columns) * static_cast<size_t>(baked.map.rows), 0);
  baked.most.assign(key.strips.size(), {});
}

// The index of a share of the scale, -1 to 1, among the levels; of what is not a number, the last.
size_t level_of(float share) {
  constexpr auto kOfOne = static_cast<float>(kLevels);
  return static_cast<size_t>(std::max(-1.f, std::min(1.f, share)) * kOfOne + kOfOne + 0.5f);
}

// Zero in the middle.
std::vector<uint32_t> colour_levels(const Palette& palette) {
  std::vector<uint32_t> levels;
  for (int64_t level = -kLevels; level <= kLevels; ++level)
    levels.push_back(palette.diverging(static_cast<double>(level) / static_cast<double>(kLevels)).rgba());
  return levels;
}

}  // namespace

ValueMap value_map_of(const LaneView& lane, const Band& band, int64_t context, double tokens_per_column,
                      int64_t values_per_row) {
  const TexelsKey key(lane, band.strips, context, tokens_per_column, values_per_row, palette_of(Theme::dark));
  Baked baked;
  size_for(baked, key, static_cast<int>(columns_of(context, tokens_per_column)));
  bake(baked, lane, key, 0);
  return std::move(baked.map);
}

struct HeatMaps::KeptValues {
  TexelsKey key;
  Baked baked;
  Texels texels;
  uint64_t version = 0;
};

HeatMaps::Values HeatMaps::values_of(const LaneView& lane, int index, const Band& band, int64_t context,
                                     double tokens_per_column, int64_t values_per_row, const Palette& palette) {
  if (!kept_values_) kept_values_ = std::make_shared<KeptValues>();
  KeptValues& kept = *kept_values_;
  TexelsKey key(lane, band.strips, context, tokens_per_column, values_per_row, palette);
  const bool agrees = key.agrees(kept.key);
  const int64_t common = agrees ? key.common_tokens(kept.key) : 0;
  const int64_t old_columns = agrees ? columns_of(kept.key.context(), tokens_per_column) : 0;
  const bool same = agrees && common == context && common == kept.key.context();
  if (!agrees) {
    size_for(kept.baked, key, key.width);
    kept.texels = {key.width, kept.baked.map.rows, std::vector<uint32_t>(kept.baked.map.values.size(), 0)};
  }
  if (!same) {
    const std::vector<float> scales_before = kept.baked.map.scales;
    bake(kept.baked, lane, key, common);
    const std::vector<uint32_t> levels = colour_levels(palette);
    const int64_t columns = columns_of(context, tokens_per_column);
    size_t row = 0;
    for (size_t i = 0; i < key.strips.size(); ++i) {
      const float scale = kept.baked.map.scales[i];
      const bool rescaled = !agrees || scale != scales_before[i];
      int64_t begin = 0;
      while (!rescaled && begin < columns && bin_of(begin, tokens_per_column).last <= common) ++begin;
      for (int64_t r = 0; r < rows_of(key.strips[i], values_per_row); ++r, ++row) {
        const size_t at = row * static_cast<size_t>(key.width);
        for (int64_t column = begin; column < columns; ++column) {
          const size_t texel = at + static_cast<size_t>(column);
          const float share = scale > 0 ? kept.baked.map.values[texel] / scale : 0;
          kept.texels.colours[texel] = levels[level_of(share)];
        }
        for (int64_t column = columns; column < old_columns; ++column) {
          kept.texels.colours[at + static_cast<size_t>(column)] = 0;
          kept.baked.map.values[at + static_cast<size_t>(column)] = 0;
        }
      }
    }
    kept.version = ++versions_;
  }
  kept.key = std::move(key);
  return {{&kept.texels, kOwner + static_cast<uint64_t>(index), kept.version, {}, {0, 0, 1, 1}, {255, 255, 255}},
          &kept.baked.map};
}

}  // namespace kv::viewer
