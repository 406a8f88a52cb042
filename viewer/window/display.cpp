#include "viewer/window/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "viewer/window/gl.h"
// After OpenGL's header, which it would include in an older form.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace kv::viewer {

namespace {

// GLFW's word on what went wrong last, with its first letter small and no full stop, fit to stand behind a colon.
std::string last_error() {
  const char* text = nullptr;
  if (glfwGetError(&text) == GLFW_NO_ERROR || text == nullptr) return "GLFW gives no reason";
  std::string reason = text;
  while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n')) reason.pop_back();
  return reason;
}

bool drawn_by_the_processor() {
  const auto* bytes = glGetString(GL_RENDERER);
  const std::string_view name = bytes == nullptr ? "" : reinterpret_cast<const char*>(bytes);
  for (const char* software : {"llvmpipe", "softpipe", "swrast", "Software", "SWR"})
    if (name.find(software) != std::string_view::npos) return true;
  return false;
}

}  // namespace

Display::Display(PixelSize size, Shown shown) {
  if (glfwInit() != GLFW_TRUE) throw NoDisplay(fmt::format("no window can be opened: {}", last_error()));
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, shown == Shown::yes ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "kvlab");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "kvlab");
  window_ = glfwCreateWindow(std::max(size.width, 1), std::max(size.height, 1), "kvlab", nullptr, nullptr);
  if (window_ == nullptr) {
    const std::string reason = last_error();
    glfwTerminate();
    throw NoDisplay(fmt::format("no window with OpenGL 3.3 can be opened: {}", reason));
  }
  glfwMakeContextCurrent(window_);
  software_ = drawn_by_the_processor();
  // The processor's "vertical blank" does not wait: frames are paced elsewhere.
  glfwSwapInterval(software_ ? 0 : 1);
}

Display::~Display() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

PixelSize Display::framebuffer() const {
  PixelSize size;
  glfwGetFramebufferSize(window_, &size.width, &size.height);
  return size;
}

float Display::framebuffer_scale() const {
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  const PixelSize pixels = framebuffer();
  return width > 0 && pixels.width > 0 ? static_cast<float>(pixels.width) / static_cast<float>(width) : 1.f;
}

float Display::content_scale() const {
  float across = 1, down = 1;
  glfwGetWindowContentScale(window_, &across, &down);
  return across > 0 ? across : 1.f;
}

bool Display::iconified() const { return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE; }

}  // namespace kv::viewer
