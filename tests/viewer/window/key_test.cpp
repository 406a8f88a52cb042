#include "viewer/window/key.h"

#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

using namespace kv::viewer;

namespace {

// What a key asks for, if it is an action of type A.
template <class A>
std::optional<A> asked(KeyPress press, const ViewState& view = {}, int lanes = 4) {
  const std::optional<Action> action = action_of(press, view, lanes);
  if (!action || !std::holds_alternative<A>(*action)) return std::nullopt;
  return std::get<A>(*action);
}

}  // namespace

TEST_SUITE("keys") {
  TEST_CASE("Space plays or pauses, arrows step by one and with Shift by ten") {
    CHECK(asked<action::PlayOrPause>({Key::space}));
    CHECK(asked<action::StepBy>({Key::right})->steps == 1);
    CHECK(asked<action::StepBy>({Key::left})->steps == -1);
    CHECK(asked<action::StepBy>({Key::right, true})->steps == 10);
    CHECK(asked<action::StepBy>({Key::left, true})->steps == -10);
    CHECK(asked<action::GoTo>({Key::home})->step == 0);
    CHECK(asked<action::GoTo>({Key::end})->step > 1'000'000);
  }

  TEST_CASE("Up and Down choose a lane and stop at the first and the last") {
    ViewState view;
    view.lane = 1;
    CHECK(asked<action::SelectLane>({Key::up}, view)->lane == 0);
    CHECK(asked<action::SelectLane>({Key::down}, view)->lane == 2);
    view.lane = 3;
    CHECK(asked<action::SelectLane>({Key::down}, view)->lane == 3);
    view.lane = 0;
    CHECK(asked<action::SelectLane>({Key::up}, view)->lane == 0);
    CHECK_FALSE(action_of({Key::up}, view, 0));
  }

  TEST_CASE("digits show the scenes that there are, and 0 fits the axis") {
    CHECK(asked<action::ShowScene>({Key::digit_1})->scene == Scene::growth);
    CHECK(asked<action::ShowScene>({Key::digit_2})->scene == Scene::attention);
    CHECK_FALSE(action_of({Key::digit_3}, {}, 4));
    CHECK_FALSE(action_of({Key::digit_5}, {}, 4));
    CHECK(asked<action::FitAxis>({Key::digit_0}));
  }

  TEST_CASE("+ looks into what is pointed at, else into the selected lane") {
    ViewState view;
    view.lane = 2;
    view.layer = 3;
    CHECK(asked<action::ZoomInto>({Key::plus}, view)->lane == 2);
    CHECK(asked<action::ZoomInto>({Key::plus}, view)->layer == 3);
    view.hovered = Cell{1, 0, Role::key, 0, 0, std::nullopt};
    CHECK(asked<action::ZoomInto>({Key::plus}, view)->lane == 1);
    CHECK(asked<action::ZoomOut>({Key::minus}, view));
  }

  TEST_CASE("letters switch cache, theme, panel; F1 lists the keys; Ctrl+E and not E exports") {
    ViewState view;
    CHECK(asked<action::ShowCacheUse>({Key::letter_c}, view)->on == false);
    view.cache_on = false;
    CHECK(asked<action::ShowCacheUse>({Key::letter_c}, view)->on == true);
    CHECK(asked<action::ToggleTheme>({Key::letter_l}));
    CHECK(asked<action::TogglePanel>({Key::letter_b}));
    CHECK(asked<action::ToggleKeys>({Key::f1}));
    CHECK(asked<action::Export>({Key::letter_e, false, true}));
    CHECK_FALSE(action_of({Key::letter_e}, view, 4));
    CHECK_FALSE(action_of({Key::letter_l, false, true}, view, 4));
  }

  TEST_CASE("Esc closes what is in front: the list of keys, then a file that is being opened, then the zoom") {
    ViewState view;
    view.zoom = Zoom{};
    view.opening = "a";
    view.keys = true;
    CHECK(asked<action::ToggleKeys>({Key::escape}, view));
    view.keys = false;
    CHECK(asked<action::GiveUpOpening>({Key::escape}, view));
    view.opening = "";
    CHECK(asked<action::ZoomOut>({Key::escape}, view));
    view.zoom.reset();
    CHECK_FALSE(action_of({Key::escape}, view, 4));
  }

  TEST_CASE("letters and signs are those that the reader's keyboard prints, digits go by their place") {
    CHECK(key_of(GLFW_KEY_Z, "l") == Key::letter_l);
    CHECK(key_of(GLFW_KEY_L, "n") == std::nullopt);
    CHECK(key_of(GLFW_KEY_RIGHT_BRACKET, "+") == Key::plus);
    CHECK(key_of(GLFW_KEY_EQUAL, "=") == Key::plus);
    CHECK(key_of(GLFW_KEY_KP_ADD, "+") == Key::plus);
    CHECK(key_of(GLFW_KEY_2, "\xC3\xA9") == Key::digit_2);
    CHECK(key_of(GLFW_KEY_KP_0, "0") == Key::digit_0);
    CHECK(key_of(GLFW_KEY_6, "6") == std::nullopt);
    CHECK(key_of(GLFW_KEY_F5, nullptr) == std::nullopt);
    CHECK(key_of(GLFW_KEY_PAGE_UP, nullptr) == Key::page_up);
    CHECK(key_of(GLFW_KEY_PAGE_DOWN, nullptr) == Key::page_down);
    CHECK(key_of(GLFW_KEY_KP_ENTER, nullptr) == Key::enter);
    CHECK(key_of(GLFW_KEY_UNKNOWN, nullptr) == std::nullopt);
  }
}
