#include "viewer/window/view.h"

#include "viewer/window/app.h"
#include "viewer/window/end_signals.h"

namespace kv::viewer {

std::unique_ptr<Session> run_view(const ViewOptions& options) {
  App app(options);
  const EndSignals signals;
  app.run();
  if (const auto failure = app.failure()) std::rethrow_exception(failure);
  return app.take_session();
}

}  // namespace kv::viewer
