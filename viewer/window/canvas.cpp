#include "viewer/window/canvas.h"

#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <stdexcept>

#include "viewer/window/gl.h"

namespace kv::viewer {

Canvas::Canvas(PixelSize size) : size_(size) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  if (size.width < 1 || size.height < 1 || size.width > most || size.height > most)
    throw std::runtime_error(fmt::format("a picture of {}x{} cannot be drawn: sides are 1 to {} pixels here",
                                         size.width, size.height, most));
  glGenFramebuffers(1, &framebuffer_);
  glGenRenderbuffers(1, &colours_);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glBindRenderbuffer(GL_RENDERBUFFER, colours_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size.width, size.height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_);
  const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (!complete) throw std::runtime_error("this machine's OpenGL draws on no framebuffer of its own");
}

Canvas::~Canvas() {
  glDeleteRenderbuffers(1, &colours_);
  glDeleteFramebuffers(1, &framebuffer_);
}

Pixels Canvas::draw(ImDrawData& data, Colour ground) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, size_.width, size_.height);
  glDisable(GL_SCISSOR_TEST);
  const auto channel = [](uint8_t value) { return static_cast<float>(value) / 255; };
  glClearColor(channel(ground.red), channel(ground.green), channel(ground.blue), 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  Pixels pixels{size_.width, size_.height, {}};
  const auto width = static_cast<size_t>(size_.width), height = static_cast<size_t>(size_.height);
  std::vector<uint32_t> rows(width * height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size_.width, size_.height, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  check_gl("read the picture");
  // OpenGL's first row is the lowest.
  for (size_t row = height; row-- > 0;) {
    const auto begin = rows.begin() + static_cast<ptrdiff_t>(row * width);
    pixels.colours.insert(pixels.colours.end(), begin, begin + static_cast<ptrdiff_t>(width));
  }
  return pixels;
}

}  // namespace kv::viewer
