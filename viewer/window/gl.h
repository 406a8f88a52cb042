// OpenGL 3.3's functions, which libGL exports by name; and one check after a group of calls.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

namespace kv::viewer {

// Throws std::runtime_error "OpenGL cannot WHAT (error 0x0505)".
void check_gl(const char* what);

}  // namespace kv::viewer
