#include "viewer/window/end_signals.h"

#include <csignal>

namespace kv::viewer {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t asked = 0;

void on_signal(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

EndSignals::EndSignals() {
  asked = 0;
  // One that is ignored stays so: a shell's background job is not meant by Ctrl+C.
  for (const int signal : kSignals)
    if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

EndSignals::~EndSignals() {
  for (const int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool EndSignals::came() { return asked != 0; }

}  // namespace kv::viewer
