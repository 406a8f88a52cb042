#include "viewer/window/gl.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kv::viewer {

void check_gl(const char* what) {
  if (const GLenum error = glGetError(); error != GL_NO_ERROR)
    throw std::runtime_error(fmt::format("OpenGL cannot {} (error 0x{:04X})", what, error));
}

}  // namespace kv::viewer
