// What the reader does: keys, clicks and the prompt.
#include <imgui.h>

#include <utility>

#include "viewer/window/app.h"
#include "viewer/window/field_text.h"
#include "viewer/window/run_fonts.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace kv::viewer {

void App::on_content_scale(float scale) {
  if (!options_.scale && scale > 0) scale_ = scale;  // fonts follow between this frame and the next
  pace_.event();
}

void App::on_key(KeyEvent event) {
  gui_keys_.push(event);
  if (event.action == GLFW_RELEASE || stage_.view().editing_prompt || ImGui::GetIO().WantTextInput) return;
  const char* name = glfwGetKeyName(event.key, event.scancode);
  if (const std::optional<Key> key = key_of(event.key, name))
    keys_.push_back({*key, (event.modifiers & GLFW_MOD_SHIFT) != 0, (event.modifiers & GLFW_MOD_CONTROL) != 0});
}

void App::take_keys() {
  for (const KeyPress press : std::exchange(keys_, {})) {
    std::optional<Action> action;
    const bool in_front = stage_.view().keys || !stage_.view().opening.empty();  // Esc closes these first
    if (in_front || !focus_.take(press, frame_, action)) {
      const int lanes = static_cast<int>(stage_.run().lanes.size());
      action = action_of(press, stage_.view(), lanes);
      if (!action && press.key == Key::escape) stage_.dismiss();
    }
    if (action) perform(*action);
    if (stage_.view().editing_prompt) break;  // what follows is text
  }
}

void App::take_touches(const Touched& touched) {
  if (touched.scrub_to) {
    stage_.drag_to(step_at(stage_.run(), stage_.view(), *touched.scrub_to));
    pace_.event();
  } else {
    stage_.release();
  }
  if (touched.prompt_entered) {
    stage_.stop_editing();
    stage_.restart(prompt_of_field(prompt_.text));
    // Fonts hold what the vocabulary needs and a little more; a prompt may bring other letters.
    if (!gui_.fonts().can_draw(stage_.view().prompt)) gui_.use(fonts_for(stage_.run()));
    pace_.event();
  } else if (touched.prompt_left) {
    stage_.stop_editing();
    pace_.event();
  }
  if (touched.turned) perform(*touched.turned);
  if (touched.action) {
    focus_.leave();
    perform(*touched.action);
  } else if (touched.clicked && stage_.view().hovered) {
    perform(action::Inspect{*stage_.view().hovered});
  }
}

void App::use_prompt() {
  const bool open = stage_.view().editing_prompt && frame_.prompt_field.area() > 0;
  if (open && !prompt_.open) prompt_ = {field_text(stage_.view().prompt), true, false};
  if (!open) prompt_ = {};
}

void App::perform(const Action& action) {
  stage_.perform(action);
  do_errands();
  pace_.event();
}

void App::do_errands() {
  if (stage_.take_export()) exports_ = true;
  if (stage_.take_give_up()) opening_.give_up();
  if (const auto text = stage_.take_copied()) glfwSetClipboardString(display_.window(), text->c_str());
}

}  // namespace kv::viewer
