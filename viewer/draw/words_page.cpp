#include "viewer/draw/words_page.h"

#include "viewer/draw/column.h"
#include "viewer/draw/words.h"

namespace kv::viewer {

Picture draw_words_page(const RunView& run, const ViewState& view, Rect region, const TextMeasure& measure) {
  constexpr float kFoot = 34;
  const Palette& palette = palette_of(view.theme);
  Picture picture;
  Column column(picture, {region.left, region.top, region.right, region.bottom - kFoot}, measure);
  bool first = true;
  for (const std::string& paragraph : paragraphs_of(run, view)) {
    column.paragraph(shown(paragraph, measure), fonts::kSmall, first ? palette.text : palette.soft, 18);
    column.skip(8);
    first = false;
  }
  const Rect foot{region.left, region.bottom - 26, region.right, region.bottom};
  const Rect button{foot.left, foot.top, foot.left + 64, foot.bottom};
  picture.outline(button, palette.line, 1, 5);
  picture.text({button.centre().x, button.top + 6}, "Copy", fonts::kSmall, palette.text, button, measure,
               Align::centre);
  picture.spot("words/copy", button, "Copy these words to the clipboard", action::CopyWords{});
  if (column.cut()) {
    const Rect rest{button.right + 10, foot.top, foot.right, foot.bottom};
    picture.text({rest.left, rest.top + 6}, shortened("takes the rest as well", fonts::kSmall, rest.width(), measure),
                 fonts::kSmall, palette.faint, rest, measure);
  }
  return picture;
}

}  // namespace kv::viewer
