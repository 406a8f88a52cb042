// Stage: the run that is shown, the playhead, and how the reader looks at it: all of the window that needs no window.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "viewer/draw/frame.h"
#include "viewer/session/player.h"
#include "viewer/session/session.h"
#include "viewer/window/axis_motion.h"

namespace kv::viewer {

class Stage {
 public:
  explicit Stage(ViewState start);

  // Another run, from its beginning; `complete` as in ViewOptions. Where it throws, the old run stays.
  void show(std::unique_ptr<Session> session, const std::function<void(const RunView&, ViewState&)>& complete = {});
  std::unique_ptr<Session> take() { return std::move(session_); }
  bool empty() const { return session_ == nullptr; }
  Session& session() const { return *session_; }

  // Valid until something of the below is called that is not const; none of a stage that is empty.
  RunView run() const { return session_ ? session_->view() : RunView{}; }
  const ViewState& view() const { return view_; }
  void resize(float width, float height) { view_.window = {0, 0, width, height}; }
  void hover(std::optional<Cell> cell) { view_.hovered = cell; }
  // What the spot under the mouse says, which stays where it was first said; "": nothing. Whether that is new.
  bool tell(const std::string& words, Point mouse);
  void opening(std::string name, double seconds);
  void notice(std::string sentence);
  HeatMaps& maps() { return maps_; }
  // Grows with each change of what positions hold: textures of before are worth nothing.
  uint64_t generation() const { return generation_; }

  // Time passes. True when something that is drawn has changed.
  bool advance(double seconds);
  bool animating() const;

  void perform(const Action& action);
  // The playhead is held at a step, until released.
  void drag_to(int64_t step);
  void release() { dragging_ = false; }
  // The same models, another prompt. Where that cannot be, the notice says why, and the run goes on as before.
  void restart(const std::string& prompt);
  // Whoever opens a run wants to see it go, unless a step was asked for, or no motion.
  void play_from_the_start();
  void stop_editing() { view_.editing_prompt = false; }
  // Esc, where nothing else closes: the notice, and what is pinned.
  void dismiss();

  // What only a window can do, once each time it was asked for.
  bool take_export() { return std::exchange(export_, false); }
  bool take_give_up() { return std::exchange(give_up_, false); }
  std::optional<std::string> take_copied() { return std::exchange(copied_, std::nullopt); }

 private:
  struct Performer;  // actions.cpp

  struct Reached {
    int64_t last_step = -1;
    int64_t context = 0;  // at the playhead
    bool ended = false;
  };
  Reached reached() const;
  void tell_end();
  void forget_texels();
  void go_to(int64_t step);

  std::unique_ptr<Session> session_;
  ViewState view_;
  Player player_;
  AxisMotion axis_;
  HeatMaps maps_;
  uint64_t generation_ = 0;
  int64_t awaited_ = 0;  // a step that was asked for and is not recorded yet; 0: none
  bool dragging_ = false;
  double notice_seconds_ = 0;
  bool export_ = false, give_up_ = false;
  std::optional<std::string> copied_;
};

}  // namespace kv::viewer
