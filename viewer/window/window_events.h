// What GLFW tells about a window, to the App; each event is worth some frames.
#pragma once

struct GLFWwindow;

namespace kv::viewer {

class App;

// Before Dear ImGui sets its own callbacks, which call these.
void tell_events(GLFWwindow* window, App& app);
// Instead of Dear ImGui's own callbacks, once those are set.
void tell_keys(GLFWwindow* window);
// Between the prompt's field and the world: what is pasted and typed comes in as FieldText, what is copied goes out as
// what it stands for.
void tell_texts(GLFWwindow* window);

}  // namespace kv::viewer
