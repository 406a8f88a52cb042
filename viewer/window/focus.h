// Focus: what the keyboard points at. F6 goes from region to region, Enter goes into one, arrows and Tab go from spot
// to spot there, Enter does what a click would, Esc leaves.
//
// Dear ImGui's own navigation is not used: spots lie within spots (a band in its lane), which it cannot reach, and its
// keys differ between versions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/draw/frame.h"
#include "viewer/window/key.h"

namespace kv::viewer {

enum class Area { none, top_bar, scene, panel, transport };

class Focus {
 public:
  Area area() const { return area_; }
  bool inside() const { return inside_; }  // arrows, Tab, Enter and Esc are the focus's now

  // True when the key was meant for it; `action`: what the focused spot asks for.
  bool take(KeyPress press, const Frame& frame, std::optional<Action>& action);
  void leave() { area_ = Area::none, inside_ = false; }

  // The outline to be drawn: of the spot, or of the region; nothing when there is no focus.
  std::optional<Rect> box(const Frame& frame) const;
  // The focused spot, while it is in the frame.
  const Spot* spot(const Frame& frame) const;

 private:
  void next_area(const Frame& frame, bool backwards);
  void move(Key direction, const std::vector<const Spot*>& spots);
  void step(int by, const std::vector<const Spot*>& spots);

  Area area_ = Area::none;
  bool inside_ = false;
  std::string id_;  // of the spot
};

}  // namespace kv::viewer
