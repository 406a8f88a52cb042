// Pictures of steps into files, by the same code that draws the window.
#include <fmt/format.h>
#include <imgui.h>

#include "viewer/window/canvas.h"
#include "viewer/window/display.h"
#include "viewer/window/gui.h"
#include "viewer/window/gui_frame.h"
#include "viewer/window/renderer.h"
#include "viewer/window/run_fonts.h"
#include "viewer/window/textures.h"
#include "viewer/window/view.h"

namespace kv::viewer {

namespace {

std::filesystem::path file_of(const PicturesWanted& wanted, int64_t step) {
  return wanted.folder ? wanted.file / fmt::format("step-{:06}.png", step) : wanted.file;
}

}  // namespace

void write_pictures(const std::function<std::unique_ptr<Session>()>& open, const ViewOptions& options,
                    const PicturesWanted& wanted) {
  const PixelSize size = options.size.value_or(PixelSize{});
  const Display display({64, 64}, Display::Shown::hidden);
  const Canvas canvas(size);
  if (wanted.folder) std::filesystem::create_directories(wanted.file);
  const std::unique_ptr<Session> session = open();
  session->wait_for(wanted.first);
  Gui gui(fonts_for(session->view()));
  Renderer renderer;
  GlTextures textures;
  HeatMaps maps;
  for (int64_t step = wanted.first; step <= wanted.last; ++step) {
    // One more, since it decides which of the likeliest tokens is marked as taken.
    session->wait_for(step + 1);
    const RunView run = session->view();
    if (wanted.folder && step > std::max<int64_t>(run.last_step(), wanted.first)) break;  // the run has ended
    const ViewState view = still_view(run, options, step);
    const float scale = options.scale.value_or(1);
    if (gui.prepare(scale, view.theme)) renderer.new_fonts();
    ImGui::GetIO().DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
    ImGui::GetIO().DeltaTime = 1.f / 60;
    renderer.new_frame();
    ImGui::NewFrame();
    const Frame frame = draw_frame(run, view, gui.fonts(), maps);
    PromptField prompt;
    show_frame(frame, view, gui.fonts(), textures, prompt, std::nullopt);
    ImGui::Render();
    write_png(file_of(wanted, step), canvas.draw(*ImGui::GetDrawData(), palette_of(view.theme).background));
  }
}

}  // namespace kv::viewer
