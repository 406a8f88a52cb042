// The window of the viewer, as the command line starts it: shown to a person, or drawn into files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "viewer/draw/regions.h"
#include "viewer/draw/token_axis.h"
#include "viewer/draw/view_state.h"
#include "viewer/session/session.h"

namespace kv::viewer {

// No window can be opened here: no display, or no OpenGL 3.3. Its text is a sentence that says why.
struct NoDisplay : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// In pixels of the framebuffer.
struct PixelSize {
  int width = 1440, height = 900;
};

struct ViewOptions {
  // Loads models and starts a run; `on_progress` as Session has it. Called on a thread of its own.
  std::function<std::unique_ptr<Session>(std::function<void()> on_progress)> open;
  std::string opening;      // what it loads, by name
  SessionSettings session;  // for files that are dropped on the window: all but their models

  ViewState start;  // how it begins; the window itself sets sizes and what moves
  // The part of `start` that depends on the run: the lane of a name. May throw.
  std::function<void(const RunView&, ViewState&)> complete;

  // What the command line says goes before what the reader chose last time.
  std::optional<Theme> theme;
  std::optional<bool> reduced_motion;
  std::optional<float> scale;  // pixels of the framebuffer in a logical one; nothing: the screen's
  std::optional<PixelSize> size;
};

// A panel that would cover the scene is not there at the start, unless a page of it was asked for.
inline bool begins_with_panel(const ViewOptions& options) {
  ViewState view = options.start;
  const PixelSize size = options.size.value_or(PixelSize{});
  const float scale = options.size ? options.scale.value_or(1) : 1;
  view.window = {0, 0, static_cast<float>(size.width) / scale, static_cast<float>(size.height) / scale};
  return view.page != PanelPage::start || !regions_of(view).panel_is_drawer;
}

// Opens the window and returns when it is closed, with the run that it showed last (none when it was closed before
// anything was loaded). Throws NoDisplay, and what `open` throws when there is nothing to go on with.
std::unique_ptr<Session> run_view(const ViewOptions& options);

// The view of one step, finished, as the options want it: the last step where the run ended before. The axis is as long
// as it would be after playing up to here. Inline, because words are written without this layer's libraries too.
inline ViewState still_view(const RunView& run, const ViewOptions& options, int64_t step) {
  ViewState view = options.start;
  const PixelSize size = options.size.value_or(PixelSize{});
  const float scale = options.scale.value_or(1);
  view.window = {0, 0, static_cast<float>(size.width) / scale, static_cast<float>(size.height) / scale};
  view.panel = begins_with_panel(options);
  view.theme = options.theme.value_or(Theme::dark);
  view.reduced_motion = options.reduced_motion.value_or(false);
  view.step = std::clamp<int64_t>(step, 0, std::max<int64_t>(run.last_step(), 0));
  view.prompt = run.prompt;
  int64_t context = 0;
  for (const LaneView& lane : run.lanes) context = std::max(context, lane.context_at(view.step));
  view.axis = static_cast<double>(axis_for(context));
  if (options.complete) options.complete(run, view);
  return view;
}

// One picture a step, first to last, each in a file: of one step `file` itself, else step-000012.png in the folder
// `file`. Waits for the steps. The display is tried before `open` is called, which may take long. Throws NoDisplay, and
// std::runtime_error for a size that this machine cannot draw or a file that cannot be written.
struct PicturesWanted {
  std::filesystem::path file;
  bool folder = false;
  int64_t first = 0, last = 0;
};
void write_pictures(const std::function<std::unique_ptr<Session>()>& open, const ViewOptions& options,
                    const PicturesWanted& wanted);

// Times the building of frames, without a window: a text of a few lines.
std::string profile_of_frames(Session& session, const ViewOptions& options, int frames);

}  // namespace kv::viewer
