#include "viewer/draw/top_bar.h"

#include <algorithm>
#include <array>

namespace kv::viewer {

namespace {

constexpr float kNameLeft = 20, kTabsLeft = 112, kTabGap = 24, kDigitGap = 6;
constexpr float kFieldTop = 9, kFieldHeight = 30, kFieldGap = 14;

struct Tab {
  Scene scene;
  const char* digit;
  const char* name;
  const char* words;
};
constexpr std::array<Tab, 2> kTabs = {{
    {Scene::growth, "1", "Growth", "Scene 1, Growth: how the caches grow"},
    {Scene::attention, "2", "Attention", "Scene 2, Attention: which tokens a head reads"},
}};

// Returns its right end.
float draw_tab(Picture& picture, const Tab& tab, float x, bool active, const Palette& palette, Rect bar,
               const TextMeasure& measure) {
  const Font font = active ? fonts::kBodyStrong : fonts::kBody;
  const Rect digit = picture.text({x, 17}, tab.digit, fonts::kSmall, palette.faint, bar, measure);
  const Rect name =
      picture.text({digit.right + kDigitGap, 15}, tab.name, font, active ? palette.text : palette.soft, bar, measure);
  if (active) picture.rect({x, bar.bottom - 3, name.right, bar.bottom}, palette.text);
  picture.spot(std::string("tab/") + tab.name, {x - 8, bar.top, name.right + 8, bar.bottom}, tab.words,
               action::ShowScene{tab.scene});
  return name.right;
}

Rect draw_prompt_field(Picture& picture, const RunView& run, const ViewState& view, Rect box, const Palette& palette,
                       const TextMeasure& measure) {
  picture.rect(box, palette.background, 5);
  picture.outline(box, view.editing_prompt ? palette.soft : palette.line, 1, 5);
  const Rect label = picture.text({box.left + 10, box.top + 8}, "Prompt", fonts::kSmall, palette.faint, box, measure);
  const Rect field{label.right + 9, box.top + 1, box.right - 8, box.bottom - 1};
  if (!view.editing_prompt) {
    const std::string& prompt = view.prompt.empty() ? run.prompt : view.prompt;
    picture.text({field.left, box.top + 7}, shortened(shown(prompt, measure), fonts::kSub, field.width(), measure),
                 fonts::kSub, palette.text, field, measure);
  }
  picture.spot("prompt", box, "The prompt that all models continue; Enter or a click changes it", action::EditPrompt{});
  return field;
}

}  // namespace

std::string model_names(const RunView& run) {
  std::string text, beginning;
  for (const LaneView& lane : run.lanes) {
    const std::string& name = lane.facts->name;
    if (text.empty()) {
      text = name;
      beginning = name.substr(0, std::min(name.find('-'), name.size()));
    } else if (name.size() > beginning.size() && name.starts_with(beginning) && name[beginning.size()] == '-') {
      text += ", " + name.substr(beginning.size());
    } else {
      text += ", " + name;
    }
  }
  return text;
}

TopBar draw_top_bar(const RunView& run, const ViewState& view, const Regions& regions, const TextMeasure& measure) {
  const Palette& palette = palette_of(view.theme);
  const Rect bar = regions.top_bar;
  TopBar top;
  Picture& picture = top.picture;
  picture.rect(bar, palette.panel);
  picture.line({bar.left, bar.bottom - 0.5f}, {bar.right, bar.bottom - 0.5f}, palette.line);
  picture.text({kNameLeft, 12}, "kvlab", fonts::kTitle, palette.text, bar, measure);
  float x = kTabsLeft;
  for (const Tab& tab : kTabs) x = draw_tab(picture, tab, x, view.scene == tab.scene, palette, bar, measure) + kTabGap;

  const Rect box{x + kFieldGap, kFieldTop, regions.content.right, kFieldTop + kFieldHeight};
  top.prompt_box = box;
  top.prompt_field = draw_prompt_field(picture, run, view, box, palette, measure);

  // Over the side panel, where that is a column of the window.
  const Rect names{regions.content.right + 24, bar.top, bar.right - 16, bar.bottom};
  if (regions.panel.width() > 0 && !regions.panel_is_drawer && !run.lanes.empty()) {
    picture.text({names.right, 17}, shortened(model_names(run), fonts::kSmall, names.width(), measure), fonts::kSmall,
                 palette.soft, names, measure, Align::right);
    picture.spot("models", names, "The models that run: " + model_names(run));
  }
  return top;
}

}  // namespace kv::viewer
