// ValueStrip: the numbers of one vector side by side, in the diverging colours, symmetric about 0.
#pragma once

#include <optional>
#include <vector>

#include "viewer/draw/palette.h"
#include "viewer/draw/picture.h"

namespace kv::viewer {

// A number is at least a pixel wide; where there are more numbers than pixels, a pixel shows the one furthest from 0.
// The number `dim` has a mark beneath it.
Picture draw_value_strip(const std::vector<float>& values, std::optional<int64_t> dim, Rect box,
                         const Palette& palette);

}  // namespace kv::viewer
