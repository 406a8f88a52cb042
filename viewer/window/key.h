// Keys: from GLFW's numbers and the keyboard's own letters to what is asked for. Dear ImGui's names of keys differ
// between its versions, so it is not asked.
#pragma once

#include <optional>

#include "viewer/draw/view_state.h"

namespace kv::viewer {

enum class Key {
  space,
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  tab,
  enter,
  escape,
  plus,
  minus,
  digit_0,
  digit_1,
  digit_2,
  digit_3,
  digit_4,
  digit_5,
  letter_b,
  letter_c,
  letter_e,
  letter_l,
  f1,
  f6,
};

struct KeyPress {
  Key key = Key::space;
  bool shift = false, control = false;
  bool operator==(const KeyPress&) const = default;
};

// `name`: what the reader's keyboard prints with that key (glfwGetKeyName), which is not always what a US one would;
// null where it prints nothing.
std::optional<Key> key_of(int glfw_key, const char* name);

// What the key asks for in this state, lanes being those of the run; nothing for keys that mean something to the focus
// alone (F6, Tab, Enter, Page Up and Down) or nothing at all.
std::optional<Action> action_of(KeyPress press, const ViewState& view, int lanes);

}  // namespace kv::viewer
