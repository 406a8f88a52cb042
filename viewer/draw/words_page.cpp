#include "viewer/draw/words_page.h"

#include <utility>

#include "viewer/draw/column.h"
#include "viewer/draw/words.h"

namespace kv::viewer {

Page draw_words_page(const RunView& run, const ViewState& view, Rect region, float scrolled,
                     const TextMeasure& measure) {
  constexpr float kGap = 8;
  const Palette& palette = palette_of(view.theme);
  Picture picture;
  Column column(picture, region, measure, scrolled);
  for (const std::string& paragraph : paragraphs_of(run, view)) {
    const bool first = column.height() == 0;
    if (!first) column.skip(kGap);
    column.paragraph(shown(paragraph, measure), fonts::kSmall, first ? palette.text : palette.soft, kScrollLine);
  }
  return {std::move(picture), column.height()};
}

Picture draw_words_foot(const ViewState& view, Rect foot, const Scroll& scroll, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  Picture picture;
  const Rect button{foot.left, foot.top, foot.left + 64, foot.bottom};
  picture.outline(button, palette.line, 1, 5);
  picture.text({button.centre().x, button.top + 6}, "Copy", fonts::kSmall, palette.text, button, measure,
               Align::centre);
  picture.spot("words/copy", button, "Copy all these words to the clipboard", action::CopyWords{});
  if (scroll.at < scroll.most()) {
    const Rect rest{button.right + 10, foot.top, foot.right, foot.bottom};
    picture.text({rest.left, rest.top + 6},
                 shortened("takes all; scroll for more", fonts::kSmall, rest.width(), measure), fonts::kSmall,
                 palette.faint, rest, measure);
  }
  return picture;
}

}  // namespace kv::viewer
