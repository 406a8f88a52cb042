// Display: GLFW and one window with an OpenGL 3.3 core context, which is current on this thread while it lives.
#pragma once

#include <string>

#include "viewer/window/view.h"

struct GLFWwindow;

namespace kv::viewer {

class Display {
 public:
  enum class Shown { yes, hidden };

  // Throws NoDisplay with GLFW's own description.
  Display(PixelSize size, Shown shown);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  GLFWwindow* window() const { return window_; }
  PixelSize framebuffer() const;
  // Pixels of the framebuffer in a unit of window coordinates: 1 under X11.
  float framebuffer_scale() const;
  // What the screen asks for: 1, or 2 on a screen of fine pixels.
  float content_scale() const;
  bool iconified() const;
  // The processor draws, not a graphics card: fewer frames are asked of it.
  bool software() const { return software_; }

 private:
  GLFWwindow* window_ = nullptr;
  bool software_ = false;
};

}  // namespace kv::viewer
