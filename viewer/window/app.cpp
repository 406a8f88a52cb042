#include "viewer/window/app.h"

#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "viewer/window/canvas.h"
#include "viewer/window/end_signals.h"
#include "viewer/window/export_file.h"
#include "viewer/window/gl.h"
#include "viewer/window/run_fonts.h"
#include "viewer/window/start_view.h"
#include "viewer/window/window_events.h"
// After OpenGL's header, which it would include in an older form.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace kv::viewer {

namespace {

constexpr double kLongestFrame = 0.25;  // seconds: after a pause of the whole program a run does not leap

PixelSize window_size(const ViewOptions& options) {
  if (options.size) return *options.size;
  const float scale = options.scale.value_or(1);
  return {static_cast<int>(1440 * scale), static_cast<int>(900 * scale)};
}

// The mouse is told in the window's units, everything here is in the framebuffer's.
void use_framebuffer(PixelSize size, float framebuffer_scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
  io.DisplayFramebufferScale = {1, 1};
  if (framebuffer_scale == 1 || !ImGui::IsMousePosValid(&io.MousePos)) return;
  io.MousePos.x *= framebuffer_scale;
  io.MousePos.y *= framebuffer_scale;
}

}  // namespace

App::App(const ViewOptions& options)
    : options_(options),
      settings_file_(settings_file()),
      settings_(read_settings(settings_file_)),
      stage_(start_view(options, settings_)),
      display_(window_size(options), Display::Shown::yes),
      scale_(options.scale.value_or(display_.content_scale())),
      gui_(Fonts(find_font_files(), "")),
      pace_(display_.software() ? Pace::kSoftware : Pace::kUsual),
      wake_([] { glfwPostEmptyEvent(); }),
      opening_(wake_.caller()) {
  settings_at_start_ = settings_of(stage_.view());
  tell_events(display_.window(), *this);
  ImGui_ImplGlfw_InitForOpenGL(display_.window(), true);  // keeps the callbacks that are there
  tell_keys(display_.window());
  tell_texts(display_.window());
  if (!options.size && !options.scale && scale_ != 1)
    glfwSetWindowSize(display_.window(), static_cast<int>(1440 * scale_), static_cast<int>(900 * scale_));
  open(options.opening, [how = options_.open, wake = wake_.caller()] { return how(wake); });
}

App::~App() {
  ImGui_ImplGlfw_Shutdown();
  glfwHideWindow(display_.window());  // at once, though a file may still be read
  const Settings now = settings_of(stage_.view());
  Settings kept = settings_;
  if (now.theme != settings_at_start_.theme) kept.theme = now.theme;
  if (now.panel != settings_at_start_.panel) kept.panel = now.panel;
  if (now.speed != settings_at_start_.speed) kept.speed = now.speed;
  if (kept != settings_) write_settings(settings_file_, kept);
}

void App::run() {
  double before = glfwGetTime();
  while (!closed()) {
    const double wait = visible() ? pace_.wait(before, stage_.animating()) : Pace::kIdle;
    wait > 0 ? glfwWaitEventsTimeout(wait) : glfwPollEvents();
    const double now = glfwGetTime();
    const double seconds = std::min(now - std::exchange(before, now), kLongestFrame);
    if (wake_.take()) pace_.change();
    take_opened();
    take_keys();
    if (stage_.advance(seconds)) pace_.change();
    if (visible() && pace_.due(now)) {
      draw();
      pace_.drawn(now);
    }
  }
}

bool App::visible() const {
  const PixelSize size = display_.framebuffer();
  return !display_.iconified() && size.width > 0 && size.height > 0;
}

bool App::closed() const {
  return glfwWindowShouldClose(display_.window()) == GLFW_TRUE || EndSignals::came() ||
         (stage_.empty() && !opening_.busy());
}

// --- A run is opened ---

void App::open(std::string name, OpenFile::Open how) {
  opened_at_ = glfwGetTime();
  opening_.start(std::move(name), std::move(how));
}

void App::take_opened() {
  if (opening_.busy()) stage_.opening(opening_.name(), glfwGetTime() - opened_at_);
  std::optional<OpenFile::Result> result = opening_.take();
  if (!opening_.busy()) stage_.opening("", 0);
  if (!result) return;
  pace_.event();
  std::exception_ptr failure = result->failure;
  if (result->session) {
    try {
      // What the command line chose was meant for its own run.
      stage_.show(std::move(result->session), stage_.empty() ? options_.complete : nullptr);
      gui_.use(fonts_for(stage_.run()));
      stage_.play_from_the_start();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure == nullptr) return;
  if (stage_.empty()) failure_ = failure;
  stage_.notice(sentence_of(failure));
}

void App::on_drop(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  SessionSettings settings = options_.session;
  const ModelChoice model = model_of_path(paths.front());
  settings.models = {model};
  settings.prompt = stage_.view().prompt;
  open(model.name,
       [settings, wake = wake_.caller()] { return std::make_unique<Session>(load_lanes(settings), settings, wake); });
  pace_.event();
}

// --- A frame ---

void App::draw() {
  const PixelSize size = display_.framebuffer();
  if (gui_.prepare(scale_, stage_.view().theme)) renderer_.new_fonts();
  if (std::exchange(textures_generation_, stage_.generation()) != stage_.generation()) textures_.forget();
  renderer_.new_frame();
  for (const KeyEvent& key : gui_keys_.next_frame())
    ImGui_ImplGlfw_KeyCallback(display_.window(), key.key, key.scancode, key.action, key.modifiers);
  if (!gui_keys_.empty()) pace_.event();
  ImGui_ImplGlfw_NewFrame();
  use_framebuffer(size, display_.framebuffer_scale());
  ImGui::NewFrame();
  stage_.resize(static_cast<float>(size.width) / scale_, static_cast<float>(size.height) / scale_);
  Touched touched;
  {
    const RunView run = stage_.run();  // let go before anything changes it
    frame_ = stage_.empty() ? frame_while_opening(stage_.view(), gui_.fonts())
                            : draw_frame(run, stage_.view(), gui_.fonts(), stage_.maps());
    use_prompt();
    touched = show_frame(frame_, stage_.view(), gui_.fonts(), textures_, prompt_, focus_.box(frame_));
    ImGui::Render();
    std::optional<Cell> hovered;
    if (touched.mouse && !stage_.empty()) hovered = cell_at(run, stage_.view(), *touched.mouse);
    if (hovered != stage_.view().hovered) pace_.change();
    stage_.hover(hovered);
    const ImVec2 mouse = ImGui::GetMousePos();
    if (stage_.tell(touched.words, {mouse.x / scale_, mouse.y / scale_})) pace_.change();
    send(*ImGui::GetDrawData());
  }
  take_touches(touched);
}

void App::send(ImDrawData& data) {
  const Colour ground = palette_of(stage_.view().theme).background;
  const PixelSize size = display_.framebuffer();
  if (std::exchange(exports_, false)) {
    try {
      const std::filesystem::path file = export_file(stage_.view().scene, stage_.view().step);
      write_png(file, Canvas(size).draw(data, ground));
      stage_.notice(fmt::format("The picture is in {}.", file.string()));
    } catch (const std::exception& error) {
      stage_.notice(error.what());
    }
    pace_.event();
  }
  glViewport(0, 0, size.width, size.height);
  const auto channel = [](uint8_t value) { return static_cast<float>(value) / 255; };
  glClearColor(channel(ground.red), channel(ground.green), channel(ground.blue), 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  glfwSwapBuffers(display_.window());
}

}  // namespace kv::viewer
