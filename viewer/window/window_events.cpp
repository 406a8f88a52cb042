#include "viewer/window/window_events.h"

#include "viewer/window/app.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace kv::viewer {

namespace {
App& app_of(GLFWwindow* window) { return *static_cast<App*>(glfwGetWindowUserPointer(window)); }
}  // namespace

void tell_events(GLFWwindow* window, App& app) {
  glfwSetWindowUserPointer(window, &app);
  glfwSetCursorPosCallback(window, [](GLFWwindow* of, double, double) { app_of(of).on_event(); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* of, int) { app_of(of).on_event(); });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* of, int, int, int) { app_of(of).on_event(); });
  glfwSetScrollCallback(window, [](GLFWwindow* of, double, double) { app_of(of).on_event(); });
  glfwSetCharCallback(window, [](GLFWwindow* of, unsigned) { app_of(of).on_event(); });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* of, int) { app_of(of).on_event(); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* of, int, int) { app_of(of).on_event(); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* of) { app_of(of).on_event(); });
  glfwSetWindowIconifyCallback(window, [](GLFWwindow* of, int) { app_of(of).on_event(); });
  glfwSetWindowContentScaleCallback(window,
                                    [](GLFWwindow* of, float across, float) { app_of(of).on_content_scale(across); });
  glfwSetDropCallback(window, [](GLFWwindow* of, int count, const char** paths) {
    app_of(of).on_drop(std::vector<std::string>(paths, paths + count));
  });
}

void tell_keys(GLFWwindow* window) {
  glfwSetKeyCallback(window, [](GLFWwindow* of, int key, int scancode, int action, int modifiers) {
    app_of(of).on_event();
    app_of(of).on_key({key, scancode, action, modifiers});
  });
}

}  // namespace kv::viewer
