// EndSignals: while it lives, the first SIGINT, SIGTERM or SIGHUP asks the window to close, so that what it would keep
// is kept; the second ends the program.
#pragma once

namespace kv::viewer {

class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  static bool came();
};

}  // namespace kv::viewer
