#include "viewer/window/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kv::viewer {

namespace {

constexpr double kNoticeSeconds = 8;

// Of the furthest lane that is still going, or of the furthest.
int64_t context_of(const RunView& run, int64_t step) {
  int64_t context = 0;
  for (const LaneView& lane : run.lanes) context = std::max(context, lane.context_at(step));
  return context;
}

}  // namespace

Stage::Stage(ViewState start) : view_(std::move(start)) { player_.set_speed(view_.speed); }

void Stage::show(std::unique_ptr<Session> session, const std::function<void(const RunView&, ViewState&)>& complete) {
  ViewState view = view_;
  const RunView run = session->view();
  if (complete) complete(run, view);
  view.prompt = run.prompt;
  view_ = std::move(view);
  session_ = std::move(session);
  player_.go_to(0, 0);
  awaited_ = view_.step;
  axis_.fit(0);
  forget_texels();
}

void Stage::forget_texels() {
  maps_ = HeatMaps();
  ++generation_;
}

bool Stage::tell(const std::string& words, Point mouse) {
  const std::string before = view_.told ? view_.told->words : "";
  if (words == before) return false;
  view_.told.reset();
  if (!words.empty()) view_.told = Told{words, mouse};
  return true;
}

void Stage::opening(std::string name, double seconds) {
  view_.opening = std::move(name);
  view_.opening_seconds = seconds;
}

void Stage::notice(std::string sentence) {
  view_.notice = std::move(sentence);
  notice_seconds_ = 0;
}

Stage::Reached Stage::reached() const {
  if (empty()) return {};
  const RunView run = session_->view();
  const bool ended =
      std::all_of(run.lanes.begin(), run.lanes.end(), [](const LaneView& lane) { return !lane.stopped.empty(); });
  return {run.last_step(), context_of(run, player_.step()), ended};
}

bool Stage::animating() const {
  return player_.playing() || awaited_ > 0 || !view_.opening.empty() || !view_.notice.empty();
}

bool Stage::advance(double seconds) {
  bool changed = !view_.opening.empty();
  if (!view_.notice.empty() && (notice_seconds_ += seconds) > kNoticeSeconds) {
    view_.notice.clear();
    changed = true;
  }
  if (empty()) return changed;
  Reached now = reached();
  if (awaited_ > 0 && (now.last_step >= awaited_ || now.ended)) {
    player_.go_to(std::exchange(awaited_, 0), now.last_step);
    changed = true;
  }
  const bool played = player_.playing();
  changed |= player_.advance(seconds, now.last_step, now.ended);
  if (played && !player_.playing()) tell_end();
  now = reached();
  session_->wanted_step(std::max(player_.step(), awaited_));
  changed |= axis_.advance(seconds, now.context, {player_.playing(), dragging_, view_.reduced_motion});

  view_.step = player_.step();
  view_.phase = view_.reduced_motion ? 1 : player_.phase();
  view_.playing = player_.playing();
  view_.speed = player_.speed();
  view_.axis = axis_.tokens();
  return changed;
}

// A scene says by itself that a cache is full and why a lane failed, but not that no more was asked for.
void Stage::tell_end() {
  const RunView run = session_->view();
  const auto furthest = std::max_element(run.lanes.begin(), run.lanes.end(), [](const LaneView& a, const LaneView& b) {
    return a.last_step() < b.last_step();
  });
  const int64_t asked = session_->settings().tokens;  // 0: until the capacity
  if (furthest != run.lanes.end() && asked > 0 && furthest->last_step() >= asked)
    notice(fmt::format("The run ends here: {}.", furthest->stopped));
}

// Not beyond what is recorded.
void Stage::go_to(int64_t step) {
  player_.go_to(step, std::max<int64_t>(reached().last_step, 0));
  awaited_ = 0;
}

void Stage::drag_to(int64_t step) {
  dragging_ = true;
  go_to(std::max<int64_t>(step, 0));
}

void Stage::restart(const std::string& prompt) {
  if (empty()) return;
  try {
    session_->restart(prompt);
  } catch (const std::exception& error) {
    notice(error.what());
    return;
  }
  view_.prompt = prompt;
  view_.notice.clear();  // it spoke of the run before
  view_.zoom.reset();
  view_.pinned.reset();
  view_.hovered.reset();
  view_.panel_scroll = 0;
  view_.step = 0;
  player_.go_to(0, 0);
  awaited_ = 0;
  axis_.fit(0);
  forget_texels();
  play_from_the_start();
}

void Stage::play_from_the_start() {
  if (awaited_ == 0 && player_.step() == 0 && !view_.reduced_motion) player_.play();
}

void Stage::dismiss() {
  view_.notice.clear();
  view_.pinned.reset();
}

}  // namespace kv::viewer
