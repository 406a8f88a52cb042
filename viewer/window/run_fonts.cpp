#include "viewer/window/run_fonts.h"

#include "viewer/window/glyphs.h"

namespace kv::viewer {

Fonts fonts_for(const RunView& run) {
  std::string characters = run.prompt;
  for (const LaneView& lane : run.lanes)
    if (const auto& tokenizer = lane.facts->model->tokenizer) characters += characters_of(*tokenizer);
  return Fonts(find_font_files(), std::move(characters));
}

}  // namespace kv::viewer
