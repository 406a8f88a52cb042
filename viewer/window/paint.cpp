#include "viewer/window/paint.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kv::viewer {

namespace {

class Painter {
 public:
  Painter(const Fonts& fonts, Textures& textures, ImDrawList& out)
      : fonts_(fonts), textures_(textures), out_(out), scale_(fonts.scale()) {}
  ~Painter() { end_clip(); }
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  void operator()(const FilledRect& rect) {
    out_.AddRectFilled(at({rect.box.left, rect.box.top}), at({rect.box.right, rect.box.bottom}), packed(rect.colour),
                       rect.rounding * scale_);
  }

  void operator()(const OutlinedRect& rect) {
    const float wide = pixels_of(rect.thickness);
    const float left = middle(rect.box.left, wide), right = middle(rect.box.right, wide);
    const float top = middle(rect.box.top, wide), bottom = middle(rect.box.bottom, wide);
    out_.PathRect({left, top}, {right, bottom}, rect.rounding * scale_);
    out_.PathStroke(packed(rect.colour), ImDrawFlags_Closed, wide);
  }

  void operator()(const Polyline& line) {
    if (line.points.size() == 2 && straight(line)) return;
    points_.clear();
    for (const Point point : line.points) points_.push_back(at(point));
    out_.AddPolyline(points_.data(), static_cast<int>(points_.size()), packed(line.colour), ImDrawFlags_None,
                     line.thickness * scale_);
  }

  void operator()(const FilledPolygon& polygon) {
    points_.clear();
    for (const Point point : polygon.points) points_.push_back(at(point));
    out_.AddConvexPolyFilled(points_.data(), static_cast<int>(points_.size()), packed(polygon.colour));
  }

  void operator()(const FilledCircle& circle) {
    out_.AddCircleFilled(at(circle.centre), circle.radius * scale_, packed(circle.colour));
  }

  void operator()(const Image& image) {
    if (image.texels == nullptr || image.texels->width <= 0 || image.texels->height <= 0) return;
    out_.AddImage(textures_.texture_of(image), at({image.box.left, image.box.top}),
                  at({image.box.right, image.box.bottom}), {image.part.left, image.part.top},
                  {image.part.right, image.part.bottom}, packed(image.tint));
  }

  void operator()(const Label& label) {
    const char* text = label.text.data();
    // Letters begin on whole pixels: Dear ImGui cuts, which would move half of them by one to the left.
    const ImVec2 where = {std::round(label.position.x * scale_), std::round(label.position.y * scale_)};
    out_.AddText(fonts_.face(label.font), label.font.size * scale_, where, packed(label.colour), text,
                 text + label.text.size());
  }

  void operator()(const Clip& clip) {
    end_clip();
    if (!clip.box) return;
    out_.PushClipRect(at({clip.box->left, clip.box->top}), at({clip.box->right, clip.box->bottom}), true);
    clipped_ = true;
  }

 private:
  ImVec2 at(Point point) const { return {point.x * scale_, point.y * scale_}; }
  float pixels_of(float thickness) const { return std::max(1.f, std::round(thickness * scale_)); }
  // Where the middle of a line of whole thickness has to lie for its edges to fall between pixels.
  float middle(float logical, float wide) const { return std::round(logical * scale_ - wide / 2) + wide / 2; }

  // A line along an axis, as a rectangle.
  bool straight(const Polyline& line) {
    const Point a = line.points[0], b = line.points[1];
    const float wide = pixels_of(line.thickness);
    if (a.x == b.x) {
      const float x = middle(a.x, wide) - wide / 2;
      out_.AddRectFilled({x, std::min(a.y, b.y) * scale_}, {x + wide, std::max(a.y, b.y) * scale_},
                         packed(line.colour));
    } else if (a.y == b.y) {
      const float y = middle(a.y, wide) - wide / 2;
      out_.AddRectFilled({std::min(a.x, b.x) * scale_, y}, {std::max(a.x, b.x) * scale_, y + wide},
                         packed(line.colour));
    } else {
      return false;
    }
    return true;
  }

  void end_clip() {
    if (clipped_) out_.PopClipRect();
    clipped_ = false;
  }

  const Fonts& fonts_;
  Textures& textures_;
  ImDrawList& out_;
  float scale_;
  bool clipped_ = false;
  std::vector<ImVec2> points_;
};

}  // namespace

void paint(const Picture& picture, const Fonts& fonts, Textures& textures, ImDrawList& out) {
  Painter painter(fonts, textures, out);
  for (const Shape& shape : picture.shapes) std::visit(painter, shape);
}

}  // namespace kv::viewer
