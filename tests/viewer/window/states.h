// Every scene, page and state of the viewer, by name.
#pragma once

#include <string>
#include <vector>

#include "tests/support/viewer_runs.h"
#include "viewer/draw/token_axis.h"
#include "viewer/draw/view_state.h"

namespace kv::viewer {

struct NamedView {
  std::string name;
  ViewState view;
};

// How a run may be looked at, with the playhead at its end.
inline std::vector<NamedView> views_of(const RunView& run, Rect window, Theme theme) {
  ViewState plain;
  plain.window = window;
  plain.theme = theme;
  plain.prompt = run.prompt;
  plain.step = std::max<int64_t>(run.last_step(), 0);
  int64_t context = 0;
  for (const LaneView& lane : run.lanes) context = std::max(context, lane.context_at(plain.step));
  plain.axis = static_cast<double>(axis_for(context));

  std::vector<NamedView> views;
  const auto add = [&](const std::string& name, auto change) {
    ViewState view = plain;
    change(view);
    views.push_back({name, view});
  };
  add("plain", [](ViewState&) {});
  add("attention", [](ViewState& v) { v.scene = Scene::attention; });
  add("attention of the last lane, materialised", [&](ViewState& v) {
    v.scene = Scene::attention;
    v.lane = static_cast<int>(run.lanes.size()) - 1;
    v.form = cpu::LatentForm::materialised;
  });
  add("words", [](ViewState& v) { v.page = PanelPage::words; });
  add("inspector of nothing", [](ViewState& v) { v.page = PanelPage::inspector; });
  add("no panel", [](ViewState& v) { v.panel = false; });
  add("a list of keys", [](ViewState& v) { v.keys = true; });
  add("without the cache", [](ViewState& v) { v.cache_on = false; });
  add("by slot", [](ViewState& v) { v.by_slot = true; });
  add("at the size of a large model", [](ViewState& v) { v.at_size_of = 0; });
  add("opening a file", [](ViewState& v) { v.opening = "a model", v.opening_seconds = 2.5; });
  add("a notice", [](ViewState& v) { v.notice = "The file is no model."; });
  add("playing", [](ViewState& v) { v.playing = true, v.phase = 0.1, v.axis *= 0.7; });
  if (run.last_step() >= 0) {
    add("a zoom", [](ViewState& v) { v.zoom = Zoom{}; });
    add("a pinned and a hovered cell", [](ViewState& v) {
      v.page = PanelPage::inspector;
      v.pinned = v.hovered = Cell{};
      v.pinned->position = 1;
      v.hovered->position = 2;
    });
  }
  return views;
}

}  // namespace kv::viewer
