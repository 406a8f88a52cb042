#include "viewer/draw/growth_texels.h"

#include <algorithm>
#include <bit>

#include "viewer/draw/heat_map.h"

namespace kv::viewer {

namespace {
constexpr int64_t kLeastWidth = 32;
}  // namespace

TexelsKey::TexelsKey(const LaneView& lane, std::vector<Strip> of_strips, int64_t context, double per_column,
                     int64_t per_row, const Palette& colours)
    : store(lane.store),
      tokens(lane.tokens.begin(), lane.tokens.begin() + context),
      strips(std::move(of_strips)),
      tokens_per_column(per_column),
      values_per_row(per_row),
      palette(&colours) {
  for (Strip& strip : strips) strip.box = {};
  const int64_t columns = std::max(kLeastWidth, columns_of(context, per_column));
  width = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(columns)));
}

bool TexelsKey::agrees(const TexelsKey& other) const {
  return store == other.store && strips == other.strips && tokens_per_column == other.tokens_per_column &&
         values_per_row == other.values_per_row && palette == other.palette && width == other.width;
}

int64_t TexelsKey::common_tokens(const TexelsKey& other) const {
  return std::mismatch(tokens.begin(), tokens.end(), other.tokens.begin(), other.tokens.end()).first - tokens.begin();
}

}  // namespace kv::viewer
