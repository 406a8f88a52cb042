// AttentionLayout: where the parts of the second scene lie. Nothing here depends on how wide texts are, so that what is
// under the mouse can be told without fonts.
#pragma once

#include <optional>
#include <vector>

#include "viewer/draw/attention_subject.h"
#include "viewer/draw/geometry.h"
#include "viewer/draw/regions.h"
#include "viewer/draw/token_axis.h"

namespace kv::viewer {

struct AttentionLayout {
  struct StoredRow {
    Role role = Role::key;
    Rect box;  // across the map
  };

  TokenAxis axis;
  Rect headline, sub_line;
  Rect choices;                 // lanes and layers, one line
  Rect chart;                   // bars; its lower edge is weight 0
  std::vector<StoredRow> rows;  // of the KV head that the chosen head reads
  Rect texts;                   // of tokens; without height in a low window
  bool staggered = false;       // each stands under its column; else they are running text
  Rect heads_title;
  std::vector<Rect> heads;  // [heads], across the map
  Rect ruler;
  Rect readouts;  // below the choices
};
AttentionLayout attention_layout(const AttentionSubject& subject, const Regions& regions, const ViewState& view);

inline constexpr float kTextsFrom = 24;  // pixels a token
inline constexpr int kTextLines = 4;     // a token's text may be as wide as four columns
inline constexpr float kTextLine = 17;
inline constexpr float kMarkedLine = 21;  // of running text
inline constexpr int kMarkedLines = 3;

// One or more columns of the axis that are drawn as one: each by itself from 1 px on, else those of a pixel.
struct ColumnRun {
  int64_t first = 0, last = 0;  // columns first .. last - 1
  float left = 0, right = 0;    // with the gap
};
// Those of `count` columns that lie on the axis.
std::vector<ColumnRun> runs_of_columns(const TokenAxis& axis, int64_t count, float least_width = 1);

}  // namespace kv::viewer
