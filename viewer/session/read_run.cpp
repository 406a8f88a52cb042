#include <fmt/format.h>

#include "model/error.h"
#include "model/files/json.h"
#include "model/files/limits.h"
#include "model/files/printable.h"
#include "viewer/session/lane_reader.h"
#include "viewer/session/run_file.h"
#include "viewer/session/run_tensors.h"

namespace kv::viewer {

namespace {

constexpr int64_t kMostThreads = 1024;

Dtype cache_dtype_of(const JsonValue& value) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
    if (value.text() == name_of(dtype)) return dtype;
  value.fail(fmt::format("is {}, expected f32, f16 or bf16", value.shown()));
}

SessionSettings settings_of(const JsonValue& run) {
  SessionSettings settings;
  settings.prompt = run.at("prompt").text();
  settings.tokens = run.at("tokens").integer(0, kMaxContext);
  settings.capacity = run.at("capacity").integer(1, kMaxContext);
  settings.cache_dtype = cache_dtype_of(run.at("cache_dtype"));
  settings.threads = static_cast<int>(run.at("threads").integer(1, kMostThreads));
  for (const JsonValue& model : run.at("models").elements())
    settings.models.push_back({model.at("name").text(), model.at("path").text()});
  return settings;
}

// Loads what the run names. An unreadable model says so by itself; everything else is the run's mistake.
std::vector<std::shared_ptr<const LaneFacts>> lanes_of(const SessionSettings& settings, const RunTensors& tensors) {
  try {
    return load_lanes(settings);
  } catch (const FormatError&) {
    throw;
  } catch (const std::exception& error) {
    tensors.fail(error.what());
  }
}

}  // namespace

RunFromFile read_run(const std::filesystem::path& file) {
  const RunTensors tensors(file);
  const std::string version = tensors.metadata("kvlab_run");
  tensors.demand(version == kRunVersion,
                 fmt::format("is a run of version {}; this program reads version {}", printable(version), kRunVersion));
  const std::string text = tensors.metadata("run");
  tensors.demand(tensors.hash(text) == tensors.metadata("hash"), "is damaged: its hash is not that of what it holds");

  const JsonValue run = JsonValue::parse(file.string() + ": run", text);
  RunFromFile made;
  made.settings = settings_of(run);
  const std::vector<JsonValue> json = run.at("lanes").elements();
  tensors.demand(json.size() == made.settings.models.size() && !json.empty(),
                 fmt::format("has {} lanes of {} models", json.size(), made.settings.models.size()));
  const auto lanes = lanes_of(made.settings, tensors);
  cpu::Team team;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const LaneReader reader(tensors, *lanes[i], i);
    Recorder::Restored restored = reader.read(json[i]);
    const auto positions = std::ssize(restored.tokens);
    auto recorder = std::make_unique<Recorder>(lanes[i], made.settings.tokens);
    recorder->restore(
        std::move(restored), [&](cpu::KvCache& cache, const cpu::Run& to) { reader.append_rows(cache, positions, to); },
        team);
    made.recorders.push_back(std::move(recorder));
  }
  return made;
}

}  // namespace kv::viewer
