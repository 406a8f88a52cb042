// Action: what a person asks for, whichever way: a key, a click, the focus and Enter.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "cpu_reference/latent_form.h"
#include "viewer/draw/cell.h"

namespace kv::viewer {

enum class Scene { growth, attention };
enum class PanelPage { start, inspector, words };

namespace action {
struct PlayOrPause {};
struct StepBy {
  int64_t steps;
};
struct GoTo {
  int64_t step;
};
struct Faster {
  double factor;
};
struct ShowScene {
  Scene scene;
};
struct SelectLane {
  int lane;
};
struct SelectLayer {
  int64_t layer;
};
struct SelectHead {
  int64_t head;
};
struct ZoomInto {
  int lane;
  int64_t layer;
};
struct ZoomOut {};
struct FitAxis {};
struct Inspect {  // and keep it, whatever is hovered next
  Cell cell;
};
struct Branch {  // at the step shown
  int lane;
  int32_t token;
};
struct UseForm {
  cpu::LatentForm form;
};
struct ShowBySlot {
  bool on;
};
struct ShowAtSizeOf {
  int size;  // index into sizes_to_compare(); -1: these models
};
struct ShowCacheUse {
  bool on;
};
struct ShowPage {
  PanelPage page;
};
struct ScrollPanel {  // to so many logical pixels of the page above what is shown
  float to;
};
struct TogglePanel {};
struct ToggleTheme {};
struct ToggleKeys {};
struct CopyWords {};
struct Export {};
struct EditPrompt {};
struct GiveUpOpening {};
}  // namespace action

using Action = std::variant<action::PlayOrPause, action::StepBy, action::GoTo, action::Faster, action::ShowScene,
                            action::SelectLane, action::SelectLayer, action::SelectHead, action::ZoomInto,
                            action::ZoomOut, action::FitAxis, action::Inspect, action::Branch, action::UseForm,
                            action::ShowBySlot, action::ShowAtSizeOf, action::ShowCacheUse, action::ShowPage,
                            action::ScrollPanel, action::TogglePanel, action::ToggleTheme, action::ToggleKeys,
                            action::CopyWords, action::Export, action::EditPrompt, action::GiveUpOpening>;

}  // namespace kv::viewer
