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

// Times of one kind of work.
class Milliseconds {
 public:
  template <class Work>
  auto time(const Work& work) {
    const auto since = std::chrono::steady_clock::now();
    auto made = work();
    times_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count());
    return made;
  }
  // "  name        median      worst", or the one there is.
  std::string line(const char* name) const {
    if (times_.empty()) return "";
    std::vector<double> sorted = times_;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.size() == 1) return fmt::format("  {:<18}{:8.2f}\n", name, sorted.front());
    return fmt::format("  {:<18}{:8.2f}   {:8.2f}\n", name, sorted[sorted.size() / 2], sorted.back());
  }

 private:
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
  Milliseconds fonts, first_frame, same_step, next_step, paint;
  fonts.time([&] { return gui.prepare(options.scale.value_or(1), view.theme); });
  io.DisplaySize = {view.window.width() * gui.fonts().scale(), view.window.height() * gui.fonts().scale()};
  const auto build = [&](const ViewState& shown, Milliseconds& draw) {
    ImGui::NewFrame();
    const Frame frame = draw.time([&] { return draw_frame(run, shown, gui.fonts(), maps); });
    paint.time([&] {
      show_frame(frame, shown, gui.fonts(), textures, prompt, std::nullopt);
      ImGui::Render();
      return 0;
    });
  };
  build(view, first_frame);
  for (int i = 0; i < frames; ++i) build(view, same_step);
  // As while playing: on the axis of the last of these steps, after a frame that bakes it.
  const int64_t first = std::max<int64_t>(0, view.step - frames);
  ViewState moving = view;
  Milliseconds unused;
  for (moving.step = first; moving.step <= view.step; ++moving.step)
    build(moving, moving.step == first ? unused : next_step);
  return fmt::format(
      "frames of step {}, {} vertices; milliseconds to draw_frame and to paint\n                      median      "
      "worst\n{}{}{}{}{}",
      view.step, ImGui::GetDrawData()->TotalVtxCount, first_frame.line("the first"),
      same_step.line("the same step again"), next_step.line("the next step"), paint.line("paint"), fonts.line("fonts"));
}

}  // namespace kv::viewer
