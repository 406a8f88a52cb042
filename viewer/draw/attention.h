// The second scene, attention: what one query head of one layer reads in one step, and how much of it. Above the base
// line a bar for each token, as high as its weight; below it what is stored of the token. Beside it the heads of the
// layer, and which of them share what is stored.
#pragma once

#include <optional>

#include "viewer/draw/attention_memory.h"
#include "viewer/draw/picture.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// The scene in regions.content. The first remembers weights in a memory of its own, one a thread.
Picture draw_attention(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure);
Picture draw_attention(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure,
                       AttentionMemory& memory);

// The stored vector under a point of the scene.
std::optional<Cell> attention_cell_at(const RunView& run, const ViewState& view, const Regions& regions, Point point);

}  // namespace kv::viewer
