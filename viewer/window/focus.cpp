#include "viewer/window/focus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kv::viewer {

namespace {

constexpr std::array kAreas = {Area::top_bar, Area::scene, Area::panel, Area::transport};

Rect box_of(Area area, const Regions& regions) {
  switch (area) {
    case Area::top_bar: return regions.top_bar;
    case Area::scene: return regions.content;
    case Area::panel: return regions.panel;
    case Area::transport: return regions.transport;
    case Area::none: break;
  }
  return {};
}

std::vector<const Spot*> spots_in(Area area, const Frame& frame) {
  std::vector<const Spot*> spots;
  const Rect box = box_of(area, frame.regions);
  for (const Spot& spot : frame.picture.spots)
    if (box.holds(spot.box.centre())) spots.push_back(&spot);
  return spots;
}

// How far `to` lies in a direction, what is beside it counting double; infinite when it does not lie there.
float distance(Key direction, Point from, Point to) {
  const float right = to.x - from.x, down = to.y - from.y;
  float ahead = 0, beside = 0;
  switch (direction) {
    case Key::left: ahead = -right, beside = down; break;
    case Key::right: ahead = right, beside = down; break;
    case Key::up: ahead = -down, beside = right; break;
    default: ahead = down, beside = right; break;
  }
  if (ahead <= 0.5f) return std::numeric_limits<float>::infinity();
  return ahead + 2 * std::abs(beside);
}

// The side panel's page by as much as its box shows, less a line; wherever the focus is, since nothing else has pages.
std::optional<Action> turned(const Scroll& scroll, Key key) {
  if (!scroll.needed()) return std::nullopt;
  const float by = scroll.box.height() - kScrollLine;
  return action::ScrollPanel{scroll.to(scroll.at + (key == Key::page_down ? by : -by))};
}

}  // namespace

const Spot* Focus::spot(const Frame& frame) const {
  if (!inside_) return nullptr;
  for (const Spot* spot : spots_in(area_, frame))
    if (spot->id == id_) return spot;
  return nullptr;
}

std::optional<Rect> Focus::box(const Frame& frame) const {
  if (area_ == Area::none) return std::nullopt;
  if (const Spot* focused = spot(frame)) return focused->box;
  const Rect box = box_of(area_, frame.regions);
  return box.area() > 0 ? std::optional(box) : std::nullopt;
}

void Focus::next_area(const Frame& frame, bool backwards) {
  const auto count = static_cast<int>(kAreas.size());
  const auto at = static_cast<int>(std::find(kAreas.begin(), kAreas.end(), area_) - kAreas.begin());
  int next = at == count ? (backwards ? count : -1) : at;
  for (int tried = 0; tried < count; ++tried) {
    next = (next + (backwards ? count - 1 : 1)) % count;
    if (box_of(kAreas[static_cast<size_t>(next)], frame.regions).area() > 0) break;
  }
  area_ = kAreas[static_cast<size_t>(next)];
  inside_ = false;
}

void Focus::move(Key direction, const std::vector<const Spot*>& spots) {
  const auto current = std::find_if(spots.begin(), spots.end(), [this](const Spot* spot) { return spot->id == id_; });
  if (current == spots.end()) return step(0, spots);
  const Point from = (*current)->box.centre();
  const auto nearest = std::min_element(spots.begin(), spots.end(), [&](const Spot* a, const Spot* b) {
    return distance(direction, from, a->box.centre()) < distance(direction, from, b->box.centre());
  });
  if (std::isfinite(distance(direction, from, (*nearest)->box.centre()))) id_ = (*nearest)->id;
}

// In the order in which they were drawn, round and round; to the first when the focused one is gone.
void Focus::step(int by, const std::vector<const Spot*>& spots) {
  if (spots.empty()) return;
  const auto count = std::ssize(spots);
  const auto at = std::find_if(spots.begin(), spots.end(), [this](const Spot* spot) { return spot->id == id_; });
  const auto index = at == spots.end() ? 0 : (at - spots.begin() + by + count) % count;
  id_ = spots[static_cast<size_t>(index)]->id;
}

bool Focus::take(KeyPress press, const Frame& frame, std::optional<Action>& action) {
  if (press.key == Key::page_up || press.key == Key::page_down) {
    action = turned(frame.panel_scroll, press.key);
    return true;
  }
  if (press.key == Key::f6) {
    next_area(frame, press.shift);
    return true;
  }
  if (area_ == Area::none) return false;
  if (press.key == Key::escape) {
    inside_ ? void(inside_ = false) : leave();
    return true;
  }
  const std::vector<const Spot*> spots = spots_in(area_, frame);
  if (!inside_) {
    if (press.key != Key::enter) return false;
    inside_ = !spots.empty();
    step(0, spots);
    return true;
  }
  switch (press.key) {
    case Key::left:
    case Key::right:
    case Key::up:
    case Key::down: move(press.key, spots); return true;
    case Key::tab: step(press.shift ? -1 : 1, spots); return true;
    case Key::enter:
    case Key::space:
      if (const Spot* focused = spot(frame)) action = focused->action;
      return true;
    default: return false;
  }
}

}  // namespace kv::viewer
