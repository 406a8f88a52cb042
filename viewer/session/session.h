// Session: the lanes that are on the screen, a worker thread that records ahead of the playhead, and files of runs.
// Knows nothing of windows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/session/recording.h"

namespace kv::viewer {

struct ModelChoice {
  std::string name;
  std::filesystem::path path;
};

// What a path that was dropped on the window holds: a .gguf, a checkpoint folder, or the config.json in one.
ModelChoice model_of_path(const std::filesystem::path& path);

struct SessionSettings {
  std::vector<ModelChoice> models;
  std::string prompt;       // without a tokenizer: token ids, separated by commas
  int64_t tokens = 0;       // decode steps at most; 0: until the capacity
  int64_t capacity = 8192;  // positions at most; the model's own context where that is smaller
  Dtype cache_dtype = Dtype::bf16;
  int threads = 1;
  std::optional<Speeds> machine;  // known already; nothing: the session measures it, which takes a second
};

// The lanes of settings, loaded, with labels: throws what load_model throws, naming the model.
std::vector<std::shared_ptr<const LaneFacts>> load_lanes(const SessionSettings& settings);

// One thread owns a session: it alone calls what changes it, and settings(). Any thread may take a view.
class Session {
 public:
  // Starts the worker. `on_progress` is called by it whenever a view would differ (a window wakes up by it). Throws
  // std::invalid_argument when a lane's prompt does not fit it.
  Session(std::vector<std::shared_ptr<const LaneFacts>> lanes, SessionSettings settings,
          std::function<void()> on_progress = nullptr);
  ~Session();  // within the time of one step

  RunView view() const;
  const SessionSettings& settings() const;

  // How far the worker shall record: the playhead. It stays kAhead steps ahead of it, all lanes by turns, then runs
  // what lies behind without the cache at contexts 16, 32, 64, ... kLargestWithoutCache.
  static constexpr int64_t kAhead = 64;
  static constexpr int64_t kLeastWithoutCache = 16, kLargestWithoutCache = 512;
  void wanted_step(int64_t step);
  // Whether every lane has recorded `step` or has stopped.
  bool holds(int64_t step) const;
  // Blocks until it holds `step`. For screenshots, words and tests.
  void wait_for(int64_t step);
  // Blocks until there is nothing left to do for the step that is wanted: what lies ahead of it, this machine's speeds
  // and the runs without the cache.
  void wait_until_idle();

  // Invalidates all views. The lane goes on from `step` with `token`; the other lanes stay as they are. Throws
  // std::out_of_range for a lane or step that is not there, std::invalid_argument for no token.
  void branch(size_t lane, int64_t step, int32_t token);
  // Invalidates all views. The same models, another prompt, from the beginning. Throws std::invalid_argument, and all
  // stays as it was, when a tokenizer cannot encode it or it does not fit.
  void restart(const std::string& prompt);

  // The whole run with its times, in the safetensors format; whole or not at all. Throws std::runtime_error.
  void save(const std::filesystem::path& file) const;

 private:
  friend std::unique_ptr<Session> replay(const std::filesystem::path& file, std::function<void()> on_progress);
  struct Worker;
  explicit Session(std::unique_ptr<Worker> worker);
  std::unique_ptr<Worker> worker_;
};

// A run from a file; its models are loaded from the paths that it names, and must be the ones it was recorded with
// (FormatError otherwise). Nothing is computed until somebody branches or asks for later steps than it holds.
std::unique_ptr<Session> replay(const std::filesystem::path& file, std::function<void()> on_progress = nullptr);

}  // namespace kv::viewer
