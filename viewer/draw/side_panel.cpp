#include "viewer/draw/side_panel.h"

#include <array>

#include "viewer/draw/inspector.h"
#include "viewer/draw/start_page.h"
#include "viewer/draw/words_page.h"

namespace kv::viewer {

namespace {

constexpr float kMargin = 22, kTabsTop = 14, kPageTop = 50, kTabGap = 20;

struct PageTab {
  PanelPage page;
  const char* name;
  const char* words;
};
constexpr std::array<PageTab, 3> kTabs = {{
    {PanelPage::start, "Start here", "Start here: what the lanes show"},
    {PanelPage::inspector, "Inspector", "Inspector: what is pointed at, or the step"},
    {PanelPage::words, "Words", "Words: all that is shown, as text"},
}};

void draw_tabs(Picture& picture, const ViewState& view, const Rect& panel, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  float x = panel.left + kMargin;
  const float y = panel.top + kTabsTop;
  for (const PageTab& tab : kTabs) {
    const bool active = view.page == tab.page;
    const Rect name = picture.text({x, y}, tab.name, active ? fonts::kSmallStrong : fonts::kSmall,
                                   active ? palette.text : palette.soft, panel, measure);
    if (active) picture.rect({name.left, name.bottom + 5, name.right, name.bottom + 7}, palette.text);
    picture.spot(std::string("panel/") + tab.name, {name.left - 6, y - 8, name.right + 6, name.bottom + 8}, tab.words,
                 action::ShowPage{tab.page});
    x = name.right + kTabGap;
  }
}

// A cross at the right end.
void draw_close(Picture& picture, const Rect& panel, const Palette& palette) {
  const Rect box{panel.right - 26, panel.top + 10, panel.right - 6, panel.top + 34};
  const Point at = box.centre();
  picture.line({at.x - 4, at.y - 4}, {at.x + 4, at.y + 4}, palette.soft, 1.5f);
  picture.line({at.x - 4, at.y + 4}, {at.x + 4, at.y - 4}, palette.soft, 1.5f);
  picture.spot("panel/close", box, "Hide the side panel (B)", action::TogglePanel{});
}

}  // namespace

SidePanel draw_side_panel(const RunView& run, const ViewState& view, const Regions& regions,
                          const TextMeasure& measure) {
  SidePanel drawn;
  const Rect& panel = regions.panel;
  if (panel.width() <= 0) return drawn;
  const Palette& palette = palette_of(view.theme);
  drawn.picture.rect(panel, palette.panel);
  drawn.picture.line({panel.left + 0.5f, panel.top}, {panel.left + 0.5f, panel.bottom}, palette.line);
  draw_tabs(drawn.picture, view, panel, measure);
  draw_close(drawn.picture, panel, palette);
  const Rect page{panel.left + kMargin, panel.top + kPageTop, panel.right - kMargin, panel.bottom - 10};
  switch (view.page) {
    case PanelPage::start: drawn.picture.add(draw_start_page(run, view, page, measure)); break;
    case PanelPage::inspector:
      drawn.scroll = add_scrolled(drawn.picture, page, view,
                                  [&](float at) { return draw_inspector(run, view, page, at, measure); });
      break;
    case PanelPage::words: {
      const Rect foot{page.left, page.bottom - kWordsFoot, page.right, page.bottom};
      const Rect words{page.left, page.top, page.right, foot.top - 8};
      drawn.scroll = add_scrolled(drawn.picture, words, view,
                                  [&](float at) { return draw_words_page(run, view, words, at, measure); });
      drawn.picture.add(draw_words_foot(view, foot, drawn.scroll, measure));
      break;
    }
  }
  return drawn;
}

}  // namespace kv::viewer
