// GuiWithoutWindow: Dear ImGui's frames with no window and no graphics, as it wants them: a size, a time step, built
// fonts, and a back end that says it can do what ours can. Debian's library asserts otherwise.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "viewer/window/gui.h"
#include "viewer/window/gui_frame.h"

namespace kv::viewer {

// Images have a place and no texels.
class NoTextures final : public Textures {
 public:
  ImTextureID texture_of(const Image& image) override {
    ++asked;
    return reinterpret_cast<ImTextureID>(static_cast<intptr_t>(image.owner + 1));
  }
  int asked = 0;
};

class GuiWithoutWindow {
 public:
  explicit GuiWithoutWindow(const Fonts& fonts, float scale = 1, Theme theme = Theme::dark) : gui(fonts) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 1.f / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM < 18700  // later versions name keys themselves
    for (int key = 0; key < ImGuiKey_COUNT; ++key) io.KeyMap[key] = key;
#endif
    gui.prepare(scale, theme);
  }

  // A frame of the view's size; the mouse is at a point, perhaps with its left button down.
  Touched show(const Frame& frame, const ViewState& view, std::optional<Point> mouse = {}, bool down = false) {
    ImGuiIO& io = ImGui::GetIO();
    const float scale = gui.fonts().scale();
    io.DisplaySize = {view.window.width() * scale, view.window.height() * scale};
    io.MousePos = mouse ? ImVec2(mouse->x * scale, mouse->y * scale) : ImVec2(-1e6f, -1e6f);
    io.MouseDown[0] = down;
    ImGui::NewFrame();
    const Touched touched = show_frame(frame, view, gui.fonts(), textures, prompt, std::nullopt);
    ImGui::Render();
    return touched;
  }
  // Press and release, over enough frames for the release to count.
  Touched click(const Frame& frame, const ViewState& view, Point at) {
    show(frame, view, at);
    show(frame, view, at, true);
    return show(frame, view, at, false);
  }
  int vertices() const { return ImGui::GetDrawData()->TotalVtxCount; }

  Gui gui;
  NoTextures textures;
  PromptField prompt;
};

}  // namespace kv::viewer
