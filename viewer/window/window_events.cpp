#include "viewer/window/window_events.h"

#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include "viewer/window/app.h"
#include "viewer/window/field_text.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace kv::viewer {

namespace {
App& app_of(GLFWwindow* window) { return *static_cast<App*>(glfwGetWindowUserPointer(window)); }

// In UTF-8, of a code point beyond 16 bits.
std::string four_bytes_of(unsigned code) {
  std::string bytes = {static_cast<char>(0xF0 | code >> 18)};
  for (const int shift : {12, 6, 0}) bytes += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  return bytes;
}

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

void tell_texts(GLFWwindow* window) {
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = window;
  io.GetClipboardTextFn = [](void* of) {
    static std::string pasted;  // Dear ImGui reads it after this has returned
    const char* text = glfwGetClipboardString(static_cast<GLFWwindow*>(of));
    pasted = field_text(text == nullptr ? "" : text);
    return pasted.c_str();
  };
  io.SetClipboardTextFn = [](void* of, const char* text) {
    glfwSetClipboardString(static_cast<GLFWwindow*>(of), prompt_of_field(text).c_str());
  };
  glfwSetCharCallback(window, [](GLFWwindow* of, unsigned code) {
    if (code <= 0xFFFF) return ImGui_ImplGlfw_CharCallback(of, code);
    for (const char c : field_text(four_bytes_of(code))) ImGui_ImplGlfw_CharCallback(of, static_cast<unsigned char>(c));
  });
}

}  // namespace kv::viewer
