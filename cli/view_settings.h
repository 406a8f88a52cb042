// What `kvlab view` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/generate_settings.h"
#include "viewer/window/view.h"

namespace kv::cli {

inline const std::vector<std::string> kViewedModels = {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"};
inline constexpr const char* kViewedPrompt = "It is a truth universally acknowledged";
inline constexpr Dtype kViewedCacheDtype = Dtype::bf16;

struct ViewSettings {
  // What runs. Nothing: what a kept run holds, or else the default.
  std::vector<std::string> models;
  std::optional<std::string> prompt;
  std::optional<int64_t> tokens;
  std::optional<Dtype> cache_dtype;
  int64_t threads = default_threads();
  std::string run_file;

  int64_t step = 0;
  std::string variant;  // label or name of a lane; empty: the first
  std::string size_of;  // empty: the models that run
  std::optional<int64_t> zoom, layer, head;
  viewer::ViewState start;
  std::string theme, scale, size;  // empty: as the screen and the reader's settings have them
  bool reduced_motion = false;

  std::string screenshot, frames;
  int64_t from = 0, to = 0;
  bool describe = false, profile = false;
};

// Throws UsageError for what is wrong whatever the models are.
viewer::ViewOptions view_options_of(const ViewSettings& settings);

// Whether --run names a file that is there.
bool is_kept(const ViewSettings& settings);

// A run from --run's file when there is one, else a new one. Throws what load_lanes and replay throw, and
// std::runtime_error when the file's run is not of the models, the prompt, the tokens or the type that are asked for.
std::unique_ptr<viewer::Session> open_run(const ViewSettings& settings, std::function<void()> on_progress);

}  // namespace kv::cli
