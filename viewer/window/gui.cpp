#include "viewer/window/gui.h"

#include <imgui.h>

#include "viewer/window/paint.h"

namespace kv::viewer {

namespace {

ImVec4 channels_of(Colour colour) { return ImGui::ColorConvertU32ToFloat4(packed(colour)); }

// From a fresh style each time: scaling what is scaled already would drift.
void apply_style(float scale, const Palette& palette) {
  ImGuiStyle style;
  style.WindowPadding = {0, 0};
  style.WindowBorderSize = 0;
  style.WindowMinSize = {1, 1};
  style.ItemSpacing = {0, 0};
  style.FrameRounding = 4;
  style.Colors[ImGuiCol_Text] = channels_of(palette.text);
  style.Colors[ImGuiCol_TextDisabled] = channels_of(palette.faint);
  style.Colors[ImGuiCol_WindowBg] = channels_of(palette.background);
  // The prompt's field lies in a box that is drawn.
  for (const ImGuiCol part : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive})
    style.Colors[part] = channels_of(palette.background);
  style.Colors[ImGuiCol_Border] = channels_of(palette.line);
  style.Colors[ImGuiCol_TextSelectedBg] = channels_of(mix(palette.background, palette.key, 0.45));
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
}

}  // namespace

Gui::Gui(const Fonts& fonts) : fonts_(fonts) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // no file ever appears in the current folder
  io.LogFilename = nullptr;
}

Gui::~Gui() { ImGui::DestroyContext(); }

bool Gui::prepare(float scale, Theme theme) {
  const bool rebuilds = scale != scale_;
  if (!rebuilds && theme == theme_) return false;
  if (rebuilds) fonts_.build(scale);
  apply_style(scale, palette_of(theme));
  scale_ = scale;
  theme_ = theme;
  return rebuilds;
}

void Gui::use(const Fonts& fonts) {
  fonts_ = fonts;
  scale_ = 0;
}

}  // namespace kv::viewer
