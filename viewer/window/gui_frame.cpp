#include "viewer/window/gui_frame.h"

#include <imgui.h>

#include <algorithm>

namespace kv::viewer {

namespace {

// Its buffer is a std::string, which grows when Dear ImGui asks for it.
int resize_text(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    auto& text = *static_cast<std::string*>(data->UserData);
    text.resize(static_cast<size_t>(data->BufTextLen));
    data->Buf = text.data();
  }
  return 0;
}

class FrameInGui {
 public:
  FrameInGui(const Frame& frame, const Fonts& fonts) : frame_(frame), fonts_(fonts), scale_(fonts.scale()) {}

  // The front first: of buttons that cover each other Dear ImGui gives the mouse to the one that came first.
  Touched buttons(PromptField& prompt) {
    const ImVec2 at = ImGui::GetMousePos();
    const Point mouse = {at.x / scale_, at.y / scale_};
    const bool covered = spots_of(frame_.overlay);
    if (prompt.open) edit(prompt);
    scrubber();
    const bool on_button = spots_of(frame_.picture);
    if ((on_button || covered || frame_.scrubber.holds(mouse)) && !touched_.scrub_to)
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const bool drawer = frame_.regions.panel_is_drawer && frame_.regions.panel.holds(mouse);
    wheel(mouse);
    if (ImGui::IsMousePosValid(&at) && !covered && !drawer && frame_.regions.content.holds(mouse)) {
      touched_.mouse = mouse;
      const bool left = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !on_button;
      touched_.clicked = left || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    }
    return touched_;
  }

 private:
  ImVec2 at(float x, float y) const { return {x * scale_, y * scale_}; }

  bool button(const char* id, Rect box) {
    const ImVec2 size = at(box.width(), box.height());
    if (size.x < 1 || size.y < 1) return false;  // Dear ImGui refuses buttons without a size
    ImGui::SetCursorScreenPos(at(box.left, box.top));
    return ImGui::InvisibleButton(id, size);
  }

  // Is the mouse on a spot that does something? Dear ImGui's own answer, IsAnyItemHovered(), is also that of the frame
  // before.
  bool spots_of(const Picture& picture) {
    bool on_button = false;
    for (auto spot = picture.spots.rbegin(); spot != picture.spots.rend(); ++spot) {
      const Rect box = spot->box;
      if (spot->action && button(spot->id.c_str(), box)) touched_.action = spot->action;
      const bool under = ImGui::IsMouseHoveringRect(at(box.left, box.top), at(box.right, box.bottom));
      on_button = on_button || (under && spot->action);
      if (!under || !touched_.words.empty()) continue;
      // A spot that only tells something lets clicks through to what lies behind it.
      touched_.words = spot->words;
    }
    return on_button;
  }

  // Between the front and the scene.
  void scrubber() {
    if (frame_.scrubber.area() <= 0) return;
    button("##scrubber", frame_.scrubber);
    if (ImGui::IsItemActive()) touched_.scrub_to = ImGui::GetMousePos().x / scale_;
  }

  void wheel(Point mouse) {
    constexpr float kNotch = 3 * kScrollLine;
    const float turned = ImGui::GetIO().MouseWheel;
    const Scroll& scroll = frame_.panel_scroll;
    if (turned != 0 && scroll.needed() && scroll.box.holds(mouse))
      touched_.turned = action::ScrollPanel{scroll.to(scroll.at - turned * kNotch)};
  }

  void edit(PromptField& prompt) {
    const Rect box = frame_.prompt_field;
    ImFont* face = fonts_.face(fonts::kBody);
    ImGui::PushFont(face);
    const float padding = std::max(0.f, (box.height() * scale_ - ImGui::GetFontSize()) / 2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {8 * scale_, padding});
    ImGui::SetCursorScreenPos(at(box.left, box.top));
    ImGui::SetNextItemWidth(box.width() * scale_);
    if (!prompt.was_active) ImGui::SetKeyboardFocusHere();
    touched_.prompt_entered = ImGui::InputText(
        "##prompt", prompt.text.data(), prompt.text.capacity() + 1,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackResize, resize_text, &prompt.text);
    // The field takes the focus a frame after it was asked to, so only losing it again counts as leaving.
    touched_.prompt_left = prompt.was_active && !ImGui::IsItemActive() && !touched_.prompt_entered;
    prompt.was_active = ImGui::IsItemActive();
    ImGui::PopStyleVar();
    ImGui::PopFont();
  }

  const Frame& frame_;
  const Fonts& fonts_;
  float scale_;
  Touched touched_;
};

}  // namespace

Touched show_frame(const Frame& frame, const ViewState& view, const Fonts& fonts, Textures& textures,
                   PromptField& prompt, std::optional<Rect> focus) {
  constexpr ImGuiWindowFlags kWholeWindow = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                            ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                            ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  Touched touched;
  if (ImGui::Begin("kvlab", nullptr, kWholeWindow)) {
    paint(frame.picture, fonts, textures, *ImGui::GetWindowDrawList());
    touched = FrameInGui(frame, fonts).buttons(prompt);
  }
  ImGui::End();

  ImDrawList& front = *ImGui::GetForegroundDrawList();
  if (focus) {
    Picture outline;
    outline.outline(focus->inset(1), palette_of(view.theme).accent, 2, 3);
    paint(outline, fonts, textures, front);
  }
  paint(frame.overlay, fonts, textures, front);
  return touched;
}

}  // namespace kv::viewer
