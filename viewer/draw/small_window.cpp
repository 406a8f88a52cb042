#include "viewer/draw/small_window.h"

#include <fmt/format.h>

#include <utility>

#include "viewer/draw/column.h"
#include "viewer/draw/words.h"

namespace kv::viewer {

namespace {

constexpr float kMargin = 12, kRight = 20, kFoot = 24;

// Without the paragraph on what runs, which whoever made the window small has seen.
Page draw_words(const RunView& run, const ViewState& view, const Rect& box, float scrolled,
                const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  std::vector<std::string> paragraphs = paragraphs_of(run, view);
  if (paragraphs.size() > 1) paragraphs.erase(paragraphs.begin());
  Picture picture;
  Column column(picture, box, measure, scrolled);
  for (const std::string& paragraph : paragraphs) {
    const bool first = column.height() == 0;
    if (!first) column.skip(8);
    column.paragraph(shown(paragraph, measure), fonts::kSmall, first ? palette.text : palette.soft, kScrollLine);
  }
  return {std::move(picture), column.height()};
}

}  // namespace

Frame draw_small_window(const RunView& run, const ViewState& view, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  const Rect& window = view.window;
  Frame frame;
  frame.picture.rect(window, palette.background);
  const Rect box{window.left + kMargin, window.top + kMargin, window.right - kRight, window.bottom - kFoot - 8};
  if (box.width() < 60) return frame;  // no word fits
  frame.panel_scroll =
      add_scrolled(frame.picture, box, view, [&](float at) { return draw_words(run, view, box, at, measure); });
  const Rect foot{box.left, window.bottom - kFoot, box.right, window.bottom};
  const std::string wish = fmt::format("A picture needs {:.0f} x {:.0f}.", kWindowWidth, kWindowHeight);
  if (foot.top >= window.top)
    frame.picture.text({foot.left, foot.top}, shortened(wish, fonts::kSmall, foot.width(), measure), fonts::kSmall,
                       palette.faint, foot, measure);
  return frame;
}

}  // namespace kv::viewer
