// How long frames take to build, without a window and without drawing.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "viewer/window/gui.h"
#include "viewer/window/gui_frame.h"
#include "viewer/window/run_fonts.h"
#include "viewer/window/view.h"

namespace kv::viewer {

namespace {

class NoTextures final : public Textures {
 public:
  ImTextureID texture_of(const Image&) override { return {}; }
};

class Milliseconds {
 public:
  void start() { since_ = std::chrono::steady_clock::now(); }
  void stop() {
    times_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since_).count());
  }
  std::string text() const {
    std::vector<double> sorted = times_;
    std::sort(sorted.begin(), sorted.end());
    return fmt::format("{:8.2f}   {:8.2f}", sorted[sorted.size() / 2], sorted.back());
  }

 private:
  std::chrono::steady_clock::time_point since_;
  std::vector<double> times_;
};

}  // namespace

std::string profile_of_frames(Session& session, const ViewOptions& options, int frames) {
  session.wait_for(options.start.step + 1);
  const RunView run = session.view();
  const ViewState view = still_view(run, options, options.start.step);
  Gui gui(fonts_for(run));
  NoTextures textures;
  HeatMaps maps;
  PromptField prompt;
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  io.DeltaTime = 1.f / 60;
  Milliseconds fonts, draw, paint;
  fonts.start();
  gui.prepare(options.scale.value_or(1), view.theme);
  fonts.stop();
  io.DisplaySize = {view.window.width() * gui.fonts().scale(), view.window.height() * gui.fonts().scale()};
  int vertices = 0;
  for (int i = 0; i < frames; ++i) {
    ImGui::NewFrame();
    draw.start();
    const Frame frame = draw_frame(run, view, gui.fonts(), maps);
    draw.stop();
    paint.start();
    show_frame(frame, view, gui.fonts(), textures, prompt, std::nullopt);
    ImGui::Render();
    paint.stop();
    vertices = ImGui::GetDrawData()->TotalVtxCount;
  }
  return fmt::format(
      "{} frames of step {}, {} vertices\n                 median      worst\n  draw_frame  {} ms\n  paint       {} "
      "ms\n"
      "  fonts       {} ms, once\n",
      frames, view.step, vertices, draw.text(), paint.text(), fonts.text());
}

}  // namespace kv::viewer
