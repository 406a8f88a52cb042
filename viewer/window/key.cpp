#include "viewer/window/key.h"

#include <algorithm>
#include <string_view>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace kv::viewer {

namespace {

constexpr int64_t kStride = 10;  // steps, with Shift
constexpr int64_t kEnd = INT64_MAX;

std::optional<Key> printed(std::string_view name) {
  if (name == "+" || name == "=") return Key::plus;
  if (name == "-") return Key::minus;
  if (name == "b" || name == "B") return Key::letter_b;
  if (name == "c" || name == "C") return Key::letter_c;
  if (name == "e" || name == "E") return Key::letter_e;
  if (name == "l" || name == "L") return Key::letter_l;
  return std::nullopt;
}

// What + looks at: the cell that is pointed at, else the selected lane.
Zoom nearer(const ViewState& view) {
  if (const auto& cell = view.hovered ? view.hovered : view.pinned) return {cell->lane, cell->layer};
  return {view.lane, view.layer};
}

std::optional<Action> scene(int index) {
  constexpr Scene kScenes[] = {Scene::growth, Scene::attention};
  if (index >= static_cast<int>(std::size(kScenes))) return std::nullopt;
  return action::ShowScene{kScenes[index]};
}

std::optional<Action> lane(int index, int lanes) {
  if (lanes == 0) return std::nullopt;
  return action::SelectLane{std::clamp(index, 0, lanes - 1)};
}

// What Esc closes, the front first.
std::optional<Action> closed(const ViewState& view) {
  if (view.keys) return action::ToggleKeys{};
  if (!view.opening.empty()) return action::GiveUpOpening{};
  if (view.zoom) return action::ZoomOut{};
  return std::nullopt;
}

}  // namespace

std::optional<Key> key_of(int glfw_key, const char* name) {
  switch (glfw_key) {
    case GLFW_KEY_SPACE: return Key::space;
    case GLFW_KEY_LEFT: return Key::left;
    case GLFW_KEY_RIGHT: return Key::right;
    case GLFW_KEY_UP: return Key::up;
    case GLFW_KEY_DOWN: return Key::down;
    case GLFW_KEY_HOME: return Key::home;
    case GLFW_KEY_END: return Key::end;
    case GLFW_KEY_PAGE_UP: return Key::page_up;
    case GLFW_KEY_PAGE_DOWN: return Key::page_down;
    case GLFW_KEY_TAB: return Key::tab;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: return Key::enter;
    case GLFW_KEY_ESCAPE: return Key::escape;
    case GLFW_KEY_F1: return Key::f1;
    case GLFW_KEY_F6: return Key::f6;
    case GLFW_KEY_KP_ADD: return Key::plus;
    case GLFW_KEY_KP_SUBTRACT: return Key::minus;
    default: break;
  }
  // The upper row by its place: some keyboards print digits with Shift only.
  if (glfw_key >= GLFW_KEY_0 && glfw_key <= GLFW_KEY_5)
    return static_cast<Key>(static_cast<int>(Key::digit_0) + glfw_key - GLFW_KEY_0);
  if (glfw_key >= GLFW_KEY_KP_0 && glfw_key <= GLFW_KEY_KP_5)
    return static_cast<Key>(static_cast<int>(Key::digit_0) + glfw_key - GLFW_KEY_KP_0);
  if (name != nullptr) return printed(name);
  return std::nullopt;
}

std::optional<Action> action_of(KeyPress press, const ViewState& view, int lanes) {
  if (press.control) {
    if (press.key == Key::letter_e) return action::Export{};
    return std::nullopt;
  }
  const int64_t steps = press.shift ? kStride : 1;
  switch (press.key) {
    case Key::space: return action::PlayOrPause{};
    case Key::left: return action::StepBy{-steps};
    case Key::right: return action::StepBy{steps};
    case Key::up: return lane(view.lane - 1, lanes);
    case Key::down: return lane(view.lane + 1, lanes);
    case Key::home: return action::GoTo{0};
    case Key::end: return action::GoTo{kEnd};
    case Key::plus: {
      const Zoom zoom = nearer(view);
      return lanes > 0 ? std::optional<Action>(action::ZoomInto{zoom.lane, zoom.layer}) : std::nullopt;
    }
    case Key::minus: return action::ZoomOut{};
    case Key::digit_0: return action::FitAxis{};
    case Key::digit_1: return scene(0);
    case Key::digit_2: return scene(1);
    case Key::digit_3: return scene(2);
    case Key::digit_4: return scene(3);
    case Key::digit_5: return scene(4);
    case Key::letter_b: return action::TogglePanel{};
    case Key::letter_c: return action::ShowCacheUse{!view.cache_on};
    case Key::letter_l: return action::ToggleTheme{};
    case Key::f1: return action::ToggleKeys{};
    case Key::escape: return closed(view);
    case Key::letter_e:
    case Key::page_up:
    case Key::page_down:
    case Key::tab:
    case Key::enter:
    case Key::f6: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace kv::viewer
