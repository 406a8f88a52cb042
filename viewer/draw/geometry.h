// Points and rectangles in logical pixels: x to the right, y downwards. The window multiplies by its scale at the end.
#pragma once

#include <algorithm>

namespace kv::viewer {

struct Point {
  float x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Rect {
  float left = 0, top = 0, right = 0, bottom = 0;

  float width() const { return right - left; }
  float height() const { return bottom - top; }
  float area() const { return width() * height(); }
  Point centre() const { return {(left + right) / 2, (top + bottom) / 2}; }
  bool holds(Point p) const { return p.x >= left && p.x < right && p.y >= top && p.y < bottom; }
  // Is `inner` inside, but for `slack`?
  bool holds(const Rect& inner, float slack = 0) const {
    return inner.left >= left - slack && inner.right <= right + slack && inner.top >= top - slack &&
           inner.bottom <= bottom + slack;
  }
  // Do they share more than `slack` in both directions?
  bool meets(const Rect& other, float slack = 0) const {
    return std::min(right, other.right) - std::max(left, other.left) > slack &&
           std::min(bottom, other.bottom) - std::max(top, other.top) > slack;
  }
  Rect inset(float by) const { return {left + by, top + by, right - by, bottom - by}; }
  Rect moved(float dx, float dy) const { return {left + dx, top + dy, right + dx, bottom + dy}; }
  bool operator==(const Rect&) const = default;
};

}  // namespace kv::viewer
