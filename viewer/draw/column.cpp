#include "viewer/draw/column.h"

namespace kv::viewer {

bool Column::takes(float height) {
  if (y_ < region_.top) return false;
  cut_ = cut_ || !fits(height);
  return !cut_;
}

void Column::line(std::string_view text, Font font, Colour colour, float line_height) {
  if (takes(std::max(font.size, line_height)))
    picture_.text({region_.left, y_}, shortened(text, font, region_.width(), measure_), font, colour, region_,
                  measure_);
  y_ += line_height;
}

void Column::paragraph(std::string_view text, Font font, Colour colour, float line_height) {
  for (const std::string& part : wrapped(text, font, region_.width(), measure_)) line(part, font, colour, line_height);
}

void Column::row(std::string_view name, std::string_view value, Font value_font, Colour name_colour,
                 Colour value_colour, float line_height) {
  if (takes(std::max(value_font.size, line_height))) {
    const std::string shown_value = shortened(value, value_font, region_.width() * 0.72f, measure_);
    const Rect box =
        picture_.text({region_.right, y_}, shown_value, value_font, value_colour, region_, measure_, Align::right);
    const std::string shown_name = shortened(name, fonts::kSmall, box.left - 8 - region_.left, measure_);
    picture_.text({region_.left, y_ + (value_font.size - fonts::kSmall.size) / 2}, shown_name, fonts::kSmall,
                  name_colour, region_, measure_);
  }
  y_ += line_height;
}

void Column::rule(Colour colour) {
  if (takes(17)) picture_.line({region_.left, y_ + 6.5f}, {region_.right, y_ + 6.5f}, colour);
  y_ += 16;
}

}  // namespace kv::viewer
