// What GLFW tells about a window, to the App; each event is worth some frames.
#pragma once

struct GLFWwindow;

namespace kv::viewer {

class App;

// Before Dear ImGui sets its own callbacks, which call these.
void tell_events(GLFWwindow* window, App& app);
// Instead of Dear ImGui's own callback, once that is set.
void tell_keys(GLFWwindow* window);

}  // namespace kv::viewer
