// Renderer: OpenGL's part of Dear ImGui, over a context that is current.
#pragma once

#include <backends/imgui_impl_opengl3.h>

namespace kv::viewer {

class Renderer {
 public:
  Renderer() { ImGui_ImplOpenGL3_Init("#version 330 core"); }
  ~Renderer() { ImGui_ImplOpenGL3_Shutdown(); }
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  void new_frame() { ImGui_ImplOpenGL3_NewFrame(); }
  // The atlas is another one.
  void new_fonts() {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
};

}  // namespace kv::viewer
