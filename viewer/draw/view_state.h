// ViewState: how the reader looks at a run. A frame is a pure function of (run, step, phase, view state).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/draw/action.h"
#include "viewer/draw/cell.h"
#include "viewer/draw/geometry.h"
#include "viewer/draw/palette.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// One layer of one lane at one pixel a value.
struct Zoom {
  int lane = 0;
  int64_t layer = 0;
  bool operator==(const Zoom&) const = default;
};

// What the spot under the mouse says, and where the mouse is.
struct Told {
  std::string words;
  Point at;
};

struct ViewState {
  Rect window;  // {0, 0, width, height} in logical pixels
  Theme theme = Theme::dark;
  Scene scene = Scene::growth;
  PanelPage page = PanelPage::start;
  bool panel = true;
  float panel_scroll = 0;  // logical pixels of the page above what is shown
  bool keys = false;  // the list of keys is open
  bool reduced_motion = false;

  int64_t step = 0;  // the playhead
  double phase = 1;  // 0..1 since the step began
  bool playing = false;
  double speed = 8;  // steps a second
  double axis = 32;  // tokens across the maps (token_axis.h); between two powers of two while it grows

  int lane = 0;  // the selected one
  std::optional<Zoom> zoom;
  std::optional<Cell> pinned, hovered;
  std::optional<Told> told;
  bool cache_on = true;  // off: the same run as it would be without a cache
  bool by_slot = false;  // window models: the ring as it lies in memory
  int at_size_of = -1;   // index into sizes_to_compare(); -1: the models that run
  int64_t layer = 0;     // attention
  int64_t head = 0;      // attention: query head
  cpu::LatentForm form = cpu::LatentForm::absorbed;

  std::string prompt;           // as it stands in the field
  bool editing_prompt = false;  // the field is drawn by the window
  std::string opening;          // a file that is being loaded, by name; empty: none
  double opening_seconds = 0;   // since when, for the spinner
  std::string notice;           // one sentence: what went wrong, or was saved; empty: none
};

}  // namespace kv::viewer
