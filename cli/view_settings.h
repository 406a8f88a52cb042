// What `kvlab view` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/generate_settings.h"
#include "viewer/window/view.h"

namespace kv::cli {

struct ViewSettings {
  std::vector<std::string> models = {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"};
  std::string prompt = "It is a truth universally acknowledged";
  int64_t tokens = 0;  // 0: until the cache is full
  Dtype cache_dtype = Dtype::bf16;
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

// A run from --run's file when there is one, else a new one. Throws what load_lanes and replay throw.
std::unique_ptr<viewer::Session> open_run(const ViewSettings& settings, std::function<void()> on_progress);

}  // namespace kv::cli
