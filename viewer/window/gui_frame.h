// GuiFrame: a Frame as one Dear ImGui frame: painted, with an invisible button behind each spot, the prompt's text
// field, and what the reader did with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/draw/frame.h"
#include "viewer/window/fonts.h"
#include "viewer/window/paint.h"

namespace kv::viewer {

// What the reader did in one frame; points are in logical pixels.
struct Touched {
  std::optional<Action> action;   // of the spot that was clicked
  std::optional<Point> mouse;     // over the scene, and over nothing that lies in front of it
  bool clicked = false;           // at the mouse, where no spot had an action
  std::optional<float> scrub_to;  // x, while the playhead is held
  std::optional<Action> turned;   // the wheel, over the side panel's page
  bool prompt_entered = false, prompt_left = false;
  std::string words;  // of the spot under the mouse
};

struct PromptField {
  std::string text;  // as field_text.h has it
  bool open = false, was_active = false;
};

// Between ImGui::NewFrame() and ImGui::Render(), with the fonts of `gui` built.
Touched show_frame(const Frame& frame, const ViewState& view, const Fonts& fonts, Textures& textures,
                   PromptField& prompt, std::optional<Rect> focus);

}  // namespace kv::viewer
