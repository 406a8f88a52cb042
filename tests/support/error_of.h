// error_of: the message with which something failed, so that a test can ask whether it names what it should.
#pragma once

#include <string>
#include <string_view>

namespace kv::test {

// The message of the Error that `action` throws, or "(no error)". Anything else that it throws fails the test.
template <class Error, class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

// Whether a text holds every one of these parts.
template <class... Parts>
bool names(std::string_view text, const Parts&... parts) {
  return ((text.find(parts) != std::string_view::npos) && ...);
}

}  // namespace kv::test
