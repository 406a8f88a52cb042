// How the window begins: what the command line says, over what the reader chose last time; and what it shows before
// there is a run.
#pragma once

#include "viewer/draw/frame.h"
#include "viewer/window/settings.h"
#include "viewer/window/view.h"

namespace kv::viewer {

ViewState start_view(const ViewOptions& options, const Settings& settings);
Settings settings_of(const ViewState& view);

Frame frame_while_opening(const ViewState& view, const TextMeasure& measure);

}  // namespace kv::viewer
