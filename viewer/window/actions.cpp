// What each action does: the one place, whether a key, a click or the focus asked for it.
#include <algorithm>
#include <variant>

#include "viewer/draw/words.h"
#include "viewer/session/lane_numbers.h"
#include "viewer/window/stage.h"

namespace kv::viewer {

namespace {

// The nearest of 0 .. count - 1.
template <class Index>
Index within(Index index, Index count) {
  return std::clamp<Index>(index, 0, std::max<Index>(count - 1, 0));
}

}  // namespace

struct Stage::Performer {
  Stage& stage;
  ViewState& view = stage.view_;

  void operator()(action::PlayOrPause) const {
    if (stage.player_.playing()) return stage.player_.pause();
    const Reached now = stage.reached();
    if (now.ended && stage.player_.step() >= now.last_step) stage.go_to(0);  // once more
    stage.player_.play();
  }
  void operator()(action::StepBy by) const {
    stage.awaited_ = 0;
    stage.player_.step_by(by.steps, std::max<int64_t>(stage.reached().last_step, 0));
  }
  void operator()(action::GoTo to) const { stage.go_to(to.step); }
  void operator()(action::Faster faster) const { stage.player_.set_speed(stage.player_.speed() * faster.factor); }
  void operator()(action::ShowScene show) const {
    view.scene = show.scene;
    view.panel_scroll = 0;  // other words
  }

  void operator()(action::SelectLane select) const {
    view.lane = within(select.lane, lanes());
    if (view.zoom) (*this)(action::ZoomInto{view.lane, view.zoom->layer});
    keep_within_lane();
  }
  void operator()(action::SelectLayer select) const {
    view.layer = select.layer;
    keep_within_lane();
  }
  void operator()(action::SelectHead select) const {
    view.head = select.head;
    keep_within_lane();
  }
  void operator()(action::ZoomInto into) const {
    if (lanes() == 0) return;
    view.lane = within(into.lane, lanes());
    view.zoom = Zoom{view.lane, within(into.layer, config().layers)};
    view.layer = view.zoom->layer;
    keep_within_lane();
  }
  void operator()(action::ZoomOut) const {
    view.zoom.reset();
    view.hovered.reset();
  }
  void operator()(action::FitAxis) const { stage.axis_.fit(stage.reached().context); }
  void operator()(const action::Inspect& inspect) const {
    view.pinned = view.pinned == inspect.cell ? std::nullopt : std::optional(inspect.cell);
    view.page = PanelPage::inspector;
    view.panel_scroll = 0;
  }
  void operator()(action::Branch branch) const {
    if (branch.lane < 0 || branch.lane >= lanes()) return;
    const int64_t step = stage.player_.step();
    stage.go_to(step);
    try {
      stage.session_->branch(static_cast<size_t>(branch.lane), step, branch.token);
    } catch (const std::exception& error) {
      return stage.notice(error.what());
    }
    stage.awaited_ = step + 1;  // where the token that was chosen is stored
    view.pinned.reset();
    view.hovered.reset();
    stage.forget_texels();
  }
  void operator()(action::UseForm use) const { view.form = use.form; }
  void operator()(action::ShowBySlot show) const { view.by_slot = show.on; }
  void operator()(action::ShowAtSizeOf show) const {
    view.at_size_of = std::clamp(show.size, -1, static_cast<int>(sizes_to_compare().size()) - 1);
    view.zoom.reset();
  }
  void operator()(action::ShowCacheUse show) const { view.cache_on = show.on; }
  void operator()(action::ShowPage show) const {
    view.page = show.page;
    view.panel = true;
    view.panel_scroll = 0;
  }
  void operator()(action::ScrollPanel scroll) const { view.panel_scroll = std::max(scroll.to, 0.f); }
  void operator()(action::TogglePanel) const { view.panel = !view.panel; }
  void operator()(action::ToggleTheme) const { view.theme = view.theme == Theme::dark ? Theme::light : Theme::dark; }
  void operator()(action::ToggleKeys) const { view.keys = !view.keys; }
  void operator()(action::CopyWords) const {
    stage.copied_ = words_of(stage.run(), view);
    stage.notice("The words of this step are on the clipboard.");
  }
  void operator()(action::Export) const { stage.export_ = true; }
  void operator()(action::EditPrompt) const { view.editing_prompt = !stage.empty(); }
  void operator()(action::GiveUpOpening) const { stage.give_up_ = true; }

 private:
  int lanes() const { return static_cast<int>(stage.run().lanes.size()); }
  ModelConfig config() const { return stage.run().lanes[static_cast<size_t>(view.lane)].config(); }
  // Layers and heads that the selected lane has.
  void keep_within_lane() const {
    if (lanes() == 0) return;
    view.layer = within(view.layer, config().layers);
    view.head = within(view.head, config().heads);
  }
};

void Stage::perform(const Action& action) { std::visit(Performer{*this}, action); }

}  // namespace kv::viewer
