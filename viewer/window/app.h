// App: the window with everything in it: events in, frames out.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "viewer/window/display.h"
#include "viewer/window/focus.h"
#include "viewer/window/gui.h"
#include "viewer/window/gui_frame.h"
#include "viewer/window/key.h"
#include "viewer/window/key_queue.h"
#include "viewer/window/open_file.h"
#include "viewer/window/pace.h"
#include "viewer/window/renderer.h"
#include "viewer/window/settings.h"
#include "viewer/window/stage.h"
#include "viewer/window/textures.h"
#include "viewer/window/wake.h"

namespace kv::viewer {

class App {
 public:
  explicit App(const ViewOptions& options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Until the window is closed.
  void run();
  std::unique_ptr<Session> take_session() { return stage_.take(); }
  // Why there was nothing to show; null: there was something, or nobody waited for it.
  std::exception_ptr failure() const { return failure_; }

  // What GLFW's callbacks tell; from the thread of the window.
  void on_event() { pace_.event(); }
  void on_key(KeyEvent event);
  void on_content_scale(float scale);
  void on_drop(const std::vector<std::string>& paths);

 private:
  void open(std::string name, OpenFile::Open how);
  void take_opened();
  bool visible() const;
  bool closed() const;

  void draw();
  Frame frame_of(const RunView& run) const;
  void send(ImDrawData& data);
  void take_keys();
  void take_touches(const Touched& touched);
  void perform(const Action& action);
  void do_errands();
  void use_prompt();

  ViewOptions options_;
  std::optional<std::filesystem::path> settings_file_;
  Settings settings_, settings_at_start_;
  Stage stage_;
  Display display_;
  float scale_ = 1;  // pixels of the framebuffer in a logical one
  Gui gui_;
  Renderer renderer_;
  GlTextures textures_;
  uint64_t textures_generation_ = 0;
  Pace pace_;
  Frame frame_;  // the last one, for the focus and the scrubber
  Focus focus_;
  PromptField prompt_;
  std::vector<KeyPress> keys_;  // ours
  KeyQueue gui_keys_;           // Dear ImGui's
  bool exports_ = false;        // the next frame is written to a file as well
  std::exception_ptr failure_;
  double opened_at_ = 0;
  Wake wake_;
  OpenFile opening_;  // last: its threads call wake_
};

}  // namespace kv::viewer
