// The fonts that a run needs: with the characters of its lanes' vocabularies and of its prompt.
#pragma once

#include "viewer/session/recording.h"
#include "viewer/window/fonts.h"

namespace kv::viewer {

Fonts fonts_for(const RunView& run);

}  // namespace kv::viewer
