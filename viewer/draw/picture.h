// Picture: what a scene draws, as plain data: shapes, texts, images, and the places that answer to the mouse and the
// keyboard. Scenes are pure functions that return one; tests compare it with the recording, and only paint.cpp knows
// Dear ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "viewer/draw/action.h"
#include "viewer/draw/colour.h"
#include "viewer/draw/geometry.h"
#include "viewer/draw/text.h"

namespace kv::viewer {

// --- Shapes, drawn in the order in which they were added ---

struct FilledRect {
  Rect box;
  Colour colour;
  float rounding = 0;
};
struct OutlinedRect {
  Rect box;  // the middle of the line
  Colour colour;
  float thickness = 1;
  float rounding = 0;
};
struct Polyline {
  std::vector<Point> points;
  Colour colour;
  float thickness = 1;
};
struct FilledPolygon {  // convex
  std::vector<Point> points;
  Colour colour;
};
struct FilledCircle {
  Point centre;
  float radius;
  Colour colour;
};

// Texels [height][width], row-major, red in the lowest byte. The window keeps a texture for each `owner`, and sends it
// anew when `version` differs.
struct Texels {
  int width = 0, height = 0;
  std::vector<uint32_t> colours;
};
struct Image {
  const Texels* texels = nullptr;  // lives at least until the picture is painted
  uint64_t owner = 0;
  uint64_t version = 0;
  Rect box;                  // where it goes
  Rect part = {0, 0, 1, 1};  // of the texels, as shares of width and height
  Colour tint = {255, 255, 255};
};

// A text on one line. Its box is position, width and the font's size; that is what tests look at.
struct Label {
  Point position;  // left top
  Font font;
  Colour colour;
  std::string text;
  float width = 0;
  Rect region;  // where it must stay

  Rect box() const { return {position.x, position.y, position.x + width, position.y + font.size}; }
};

// Until the next one: nothing outside is drawn. An empty optional ends it.
struct Clip {
  std::optional<Rect> box;
};

using Shape = std::variant<FilledRect, OutlinedRect, Polyline, FilledPolygon, FilledCircle, Image, Label, Clip>;

// A place that is hovered, clicked and focused as one thing. `words` say what it is to whoever cannot see it.
struct Spot {
  std::string id;  // unique in the picture
  Rect box;
  std::string words;
  std::optional<Action> action;  // on click, or Enter while it has the focus
};

enum class Align { left, centre, right };

class Picture {
 public:
  std::vector<Shape> shapes;
  std::vector<Spot> spots;

  void rect(Rect box, Colour colour, float rounding = 0);
  void outline(Rect box, Colour colour, float thickness = 1, float rounding = 0);
  void line(Point a, Point b, Colour colour, float thickness = 1);
  void dotted(Point a, Point b, Colour colour, float on = 2.5f, float off = 2.5f, float thickness = 1);
  void polygon(std::vector<Point> points, Colour colour);
  void circle(Point centre, float radius, Colour colour);
  void clip(std::optional<Rect> box);
  void image(Image image);

  // Writes at (x, y), which is the left, middle or right of its upper edge. Returns the box.
  Rect text(Point at, std::string_view text, Font font, Colour colour, Rect region, const TextMeasure& measure,
            Align align = Align::left);

  void spot(std::string id, Rect box, std::string words, std::optional<Action> action = std::nullopt);
  void add(Picture other);  // behind all that is there

  std::vector<Label> labels() const;
};

}  // namespace kv::viewer
