#include "viewer/draw/scroll.h"

#include <utility>

namespace kv::viewer {

namespace {

void draw_mark(Picture& picture, const Scroll& scroll, const Palette& palette) {
  constexpr float kGap = 9, kWidth = 4, kLeast = 24;
  const Rect& box = scroll.box;
  if (!scroll.needed() || box.height() < kLeast) return;
  const float height = std::max(kLeast, box.height() * box.height() / scroll.height);
  const float top = box.top + (box.height() - height) * scroll.at / scroll.most();
  picture.rect({box.right + kGap, top, box.right + kGap + kWidth, top + height}, palette.line, kWidth / 2);
}

}  // namespace

Scroll add_scrolled(Picture& picture, const Rect& box, const ViewState& view, const std::function<Page(float)>& draw) {
  Page page = draw(view.panel_scroll);
  Scroll scroll{box, page.height, 0};
  scroll.at = scroll.to(view.panel_scroll);
  if (scroll.at != view.panel_scroll) page = draw(scroll.at);
  picture.add(std::move(page.picture));
  draw_mark(picture, scroll, palette_of(view.theme));
  return scroll;
}

}  // namespace kv::viewer
