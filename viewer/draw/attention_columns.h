// What goes through all parts of a column: the playhead, the column that is pointed at, the ruler's number below it,
// and the place that answers to the mouse.
#pragma once

#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

void draw_pointed_at(Picture& picture, const AttentionScene& scene);
void draw_playhead(Picture& picture, const AttentionScene& scene);
void draw_newest_slot(Picture& picture, const AttentionScene& scene);
void draw_ruler(Picture& picture, const AttentionScene& scene);
void add_column_spots(Picture& picture, const AttentionScene& scene);

// What there is room for in a row: all of it, or the slots of a ring.
Rect well_of(Rect row, const AttentionScene& scene);

}  // namespace kv::viewer
