#include "viewer/window/start_view.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace kv::viewer {

ViewState start_view(const ViewOptions& options, const Settings& settings) {
  ViewState view = options.start;
  view.theme = options.theme.value_or(settings.theme);
  view.panel = begins_with_panel(options) && (settings.panel || view.page != PanelPage::start);
  view.reduced_motion = options.reduced_motion.value_or(settings.reduced_motion);
  view.speed = settings.speed;
  return view;
}

Settings settings_of(const ViewState& view) { return {view.theme, view.panel, view.reduced_motion, view.speed}; }

Frame frame_while_opening(const ViewState& view, const TextMeasure& measure) {
  Frame frame;
  const Palette& palette = palette_of(view.theme);
  const Rect window = view.window;
  frame.picture.rect(window, palette.background);
  if (view.opening.empty()) return frame;
  const Point centre = window.centre();
  // A dot that goes round once a second; it stands still for whoever wants no motion.
  const double turn = view.reduced_motion ? 0 : view.opening_seconds * 2 * std::numbers::pi;
  frame.picture.circle(
      {centre.x + 14 * static_cast<float>(std::sin(turn)), centre.y - 44 - 14 * static_cast<float>(std::cos(turn))}, 3,
      palette.accent);
  frame.picture.text({centre.x, centre.y - 12}, fmt::format("Loading {}", shown(view.opening, measure)), fonts::kTitle,
                     palette.text, window, measure, Align::centre);
  frame.picture.text({centre.x, centre.y + 20}, "Esc gives up", fonts::kSub, palette.soft, window, measure,
                     Align::centre);
  return frame;
}

}  // namespace kv::viewer
