#include "viewer/draw/picture.h"

#include <cmath>
#include <iterator>

namespace kv::viewer {

void Picture::rect(Rect box, Colour colour, float rounding) { shapes.push_back(FilledRect{box, colour, rounding}); }

void Picture::outline(Rect box, Colour colour, float thickness, float rounding) {
  shapes.push_back(OutlinedRect{box, colour, thickness, rounding});
}

void Picture::line(Point a, Point b, Colour colour, float thickness) {
  shapes.push_back(Polyline{{a, b}, colour, thickness});
}

void Picture::polygon(std::vector<Point> points, Colour colour) {
  shapes.push_back(FilledPolygon{std::move(points), colour});
}

void Picture::circle(Point centre, float radius, Colour colour) {
  shapes.push_back(FilledCircle{centre, radius, colour});
}

void Picture::clip(std::optional<Rect> box) { shapes.push_back(Clip{box}); }

void Picture::image(Image image) { shapes.push_back(image); }

void Picture::spot(std::string id, Rect box, std::string words, std::optional<Action> action) {
  spots.push_back({std::move(id), box, std::move(words), std::move(action)});
}

void Picture::dotted(Point a, Point b, Colour colour, float on, float off, float thickness) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  const auto at = [&](float along) {
    return Point{a.x + (b.x - a.x) * along / length, a.y + (b.y - a.y) * along / length};
  };
  for (int dash = 0; static_cast<float>(dash) * (on + off) < length; ++dash) {
    const float begin = static_cast<float>(dash) * (on + off);
    line(at(begin), at(std::min(begin + on, length)), colour, thickness);
  }
}

Rect Picture::text(Point at, std::string_view text, Font font, Colour colour, Rect region, const TextMeasure& measure,
                   Align align) {
  const float width = measure.width(font, text);
  const float left = align == Align::left ? at.x : align == Align::centre ? at.x - width / 2 : at.x - width;
  Label label{{left, at.y}, font, colour, std::string(text), width, region};
  const Rect box = label.box();
  if (!label.text.empty()) shapes.push_back(std::move(label));
  return box;
}

void Picture::add(Picture other) {
  shapes.insert(shapes.end(), std::make_move_iterator(other.shapes.begin()),
                std::make_move_iterator(other.shapes.end()));
  spots.insert(spots.end(), std::make_move_iterator(other.spots.begin()), std::make_move_iterator(other.spots.end()));
}

std::vector<Label> Picture::labels() const {
  std::vector<Label> labels;
  for (const Shape& shape : shapes)
    if (const auto* label = std::get_if<Label>(&shape)) labels.push_back(*label);
  return labels;
}

}  // namespace kv::viewer
