#include "viewer/draw/frame.h"

#include <algorithm>

#include "viewer/draw/attention.h"
#include "viewer/draw/cell_place.h"
#include "viewer/draw/growth.h"
#include "viewer/draw/hover_tip.h"
#include "viewer/draw/keys_overlay.h"
#include "viewer/draw/scrubber.h"
#include "viewer/draw/side_panel.h"
#include "viewer/draw/small_window.h"
#include "viewer/draw/top_bar.h"
#include "viewer/draw/transport.h"

namespace kv::viewer {

namespace {

Picture draw_scene(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure,
                   HeatMaps& maps) {
  switch (view.scene) {
    case Scene::growth: return draw_growth(run, view, regions, measure, maps);
    case Scene::attention: return draw_attention(run, view, regions, measure);
  }
  return {};
}

// What a drawer covers cannot be reached.
void cover(std::vector<Spot>& spots, const Rect& cover) {
  for (Spot& spot : spots)
    if (spot.box.meets(cover)) spot.box.right = std::min(spot.box.right, std::max(spot.box.left, cover.left));
  std::erase_if(spots, [](const Spot& spot) { return spot.box.width() < 1; });
}

// The tip, a notice and a file that is being opened, beside a drawer and beside each other.
void add_what_is_in_front(Frame& frame, const Rect& prompt_box, const RunView& run, const ViewState& view,
                          const TextMeasure& measure) {
  const Regions& regions = frame.regions;
  Rect room{0, 0, regions.transport.right, regions.transport.bottom};
  if (regions.panel_is_drawer && regions.panel.width() > 0) room.right = regions.panel.left;
  // A notice takes the prompt's place for a while, which covers nothing that changes. One that is edited stays free.
  const Rect& content = regions.content;
  const Rect below{content.left, content.top + 10, std::min(content.right, room.right), content.top + 40};
  const Rect place = view.editing_prompt ? below : prompt_box;
  Picture notice = draw_notice(view, place, measure);
  if (!notice.spots.empty()) room.top = notice.spots.front().box.bottom;
  frame.overlay.add(std::move(notice));
  if (!view.opening.empty())
    frame.overlay.add(
        draw_opening(view, {room.left, std::max(room.top, regions.content.top), room.right, room.bottom}, measure));
  else if (view.hovered) {
    if (const std::optional<Rect> cell = place_of(*view.hovered, run, view, regions))
      frame.overlay.add(draw_hover_tip(run, view, room, {cell->right, cell->centre().y}, measure));
  } else {
    frame.overlay.add(draw_told(view, room, measure));
  }
}

}  // namespace

Frame draw_frame(const RunView& run, const ViewState& view, const TextMeasure& measure, HeatMaps& maps) {
  if (!has_room(view)) return draw_small_window(run, view, measure);
  Frame frame;
  frame.regions = regions_of(view);
  const Regions& regions = frame.regions;
  Picture& picture = frame.picture;
  picture.rect({0, 0, regions.transport.right, regions.transport.bottom}, palette_of(view.theme).background);
  picture.add(draw_scene(run, view, regions, measure, maps));
  TopBar top_bar = draw_top_bar(run, view, regions, measure);
  frame.prompt_field = top_bar.prompt_field;
  picture.add(std::move(top_bar.picture));
  picture.add(draw_transport(run, view, regions, measure));
  frame.scrubber = scrubber_box(regions);

  SidePanel panel = draw_side_panel(run, view, regions, measure);
  frame.panel_scroll = panel.scroll;
  const bool drawer = regions.panel_is_drawer && regions.panel.width() > 0;
  if (drawer) cover(picture.spots, regions.panel);
  (drawer ? frame.overlay : picture).add(std::move(panel.picture));
  if (view.keys) {
    // The list is in front of all, and nothing else can be reached while it is open.
    picture.spots.clear();
    frame.scrubber = {};
    frame.panel_scroll = {};
    frame.overlay = draw_keys_overlay(view, regions, measure);
    return frame;
  }
  add_what_is_in_front(frame, top_bar.prompt_box, run, view, measure);
  return frame;
}

std::optional<Cell> cell_at(const RunView& run, const ViewState& view, Point point) {
  const Regions regions = regions_of(view);
  if (!has_room(view) || view.keys || !regions.content.holds(point)) return std::nullopt;
  if (regions.panel_is_drawer && regions.panel.holds(point)) return std::nullopt;
  switch (view.scene) {
    case Scene::growth: return growth_cell_at(run, view, regions, point);
    case Scene::attention: return attention_cell_at(run, view, regions, point);
  }
  return std::nullopt;
}

int64_t step_at(const RunView& run, const ViewState& view, float x) {
  return step_at_x(run, view, regions_of(view), x);
}

}  // namespace kv::viewer
