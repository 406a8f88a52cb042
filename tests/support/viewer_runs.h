// Recorded runs for the viewer's tests: real models, really run, each in well under a second. Keep one in a function's
// static when several tests draw from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/tiny_models.h"
#include "viewer/session/recorder.h"
#include "viewer/session/session.h"

namespace kv::test {

// Owns what its views point to.
class RecordedRun {
 public:
  RecordedRun(std::vector<std::shared_ptr<const viewer::LaneFacts>> lanes, std::string prompt, int64_t most_steps = 0)
      : prompt_(std::move(prompt)) {
    for (auto& lane : lanes) recorders_.push_back(std::make_unique<viewer::Recorder>(std::move(lane), most_steps));
  }

  // Until every lane has recorded `step`, or has stopped.
  RecordedRun& record_to(int64_t step) {
    for (auto& recorder : recorders_)
      while (recorder->lacks(step) && recorder->advance(*team_)) {
      }
    return *this;
  }
  // One piece of the prompt or one step, of every lane.
  RecordedRun& advance() {
    for (auto& recorder : recorders_) recorder->advance(*team_);
    return *this;
  }
  RecordedRun& run_without_cache(int64_t context) {
    for (auto& recorder : recorders_) recorder->run_without_cache(context, *team_);
    return *this;
  }
  // As measured once on some machine: tests of predictions need a number, not this machine's.
  RecordedRun& set_machine(const Speeds& speeds) {
    for (auto& recorder : recorders_) recorder->set_machine(speeds);
    return *this;
  }

  viewer::Recorder& recorder(size_t lane) { return *recorders_.at(lane); }
  cpu::Team& team() { return *team_; }
  viewer::RunView view() const {
    viewer::RunView run;
    for (const auto& recorder : recorders_) run.lanes.push_back(recorder->view());
    run.prompt = prompt_;
    return run;
  }

 private:
  std::string prompt_;
  std::unique_ptr<cpu::Team> team_ = std::make_unique<cpu::Team>(1);
  std::vector<std::unique_ptr<viewer::Recorder>> recorders_;
};

inline const std::string kViewerPrompt = "It is a truth universally acknowledged, that a single man";

inline viewer::SessionSettings settings_of(const std::vector<std::string>& checkpoints,
                                           const std::string& prompt = kViewerPrompt, int64_t capacity = 8192) {
  viewer::SessionSettings settings;
  for (const std::string& name : checkpoints)
    settings.models.push_back({name, std::string(KVLAB_SOURCE_DIR) + "/checkpoints/" + name});
  settings.prompt = prompt;
  settings.capacity = capacity;
  return settings;
}
inline const std::vector<std::string> kFourModels = {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"};

// MHA, GQA, MQA and MLA, the lanes of the start page.
inline RecordedRun four_models(int64_t steps = 8, const std::string& prompt = kViewerPrompt, int64_t capacity = 8192) {
  RecordedRun run(load_lanes(settings_of(kFourModels, prompt, capacity)), prompt);
  run.record_to(steps);
  return run;
}

// Nothing is recorded yet, not even of the prompt.
inline RecordedRun four_models_at_the_start() {
  return RecordedRun(load_lanes(settings_of(kFourModels)), kViewerPrompt);
}

// The prompt, of more than two pieces, is read to its second.
inline RecordedRun four_models_reading() {
  std::string prompt;
  for (int i = 0; i < 30; ++i) prompt += kViewerPrompt + " ";
  RecordedRun run(load_lanes(settings_of(kFourModels, prompt)), prompt);
  run.advance().advance();
  return run;
}

// Every cache is full after a few steps: "24 of 24: the cache is full".
inline RecordedRun four_full_models() { return four_models(100, kViewerPrompt, 24); }

// A window of 5 positions in each of three layers; GQA; no tokenizer. Its ring has as many slots as its context of 128.
inline RecordedRun window_model(int64_t steps = 20, const std::string& prompt = "5,17,3,99,42,8,61") {
  viewer::SessionSettings settings;
  settings.models = {{"mistral-window", std::string(KVLAB_SOURCE_DIR) + "/tests/goldens/mistral-window"}};
  settings.prompt = prompt;
  RecordedRun run(load_lanes(settings), prompt);
  run.record_to(steps);
  return run;
}

// Facts of a model with random weights, which has no tokenizer.
inline std::shared_ptr<const viewer::LaneFacts> random_lane(ModelConfig config, int64_t capacity = 256,
                                                            std::vector<int32_t> prompt = {5, 17, 3, 42, 8},
                                                            Dtype cache_dtype = Dtype::bf16) {
  auto model = std::make_shared<LoadedModel>();
  model->weights = random_weights(config, 7);
  model->config = std::move(config);
  model->no_tokenizer = "its weights are random";
  auto facts = std::make_shared<viewer::LaneFacts>();
  facts->name = model->config.name;
  facts->label = model->config.has_latent_attention()            ? "MLA"
                 : model->config.kv_heads == model->config.heads ? "MHA"
                 : model->config.kv_heads == 1                   ? "MQA"
                                                                 : "GQA";
  facts->path = facts->name;
  facts->model = model;
  facts->prompt = std::move(prompt);
  facts->capacity = capacity;
  facts->cache_dtype = cache_dtype;
  return facts;
}

// Thirty layers, GQA 6 to 2.
inline RecordedRun thirty_layers(int64_t steps = 6) {
  ModelConfig config = tiny_heads(6, 2, 10);
  config.name = "thirty-layers";
  config.layers = 30;
  config.layer_cache.assign(30, config.layer_cache.front());
  RecordedRun run({random_lane(config)}, "5,17,3,42,8");
  run.record_to(steps);
  return run;
}

// Four lanes of which the second fails after four steps: its context ends before its capacity does, which load_lanes
// would not allow. The others go on.
inline RecordedRun one_failing_lane(int64_t steps = 10) {
  const auto config = [](const char* name, int64_t heads, int64_t kv_heads) {
    ModelConfig made = tiny_heads(heads, kv_heads, 10);
    made.name = name;
    return made;
  };
  ModelConfig failing = config("fails", 6, 2);
  failing.max_context = 9;
  RecordedRun run({random_lane(config("tiny-mha", 6, 6)), random_lane(failing), random_lane(config("tiny-mqa", 6, 1)),
                   random_lane(tiny_latent())},
                  "5,17,3,42,8");
  run.record_to(steps);
  return run;
}

}  // namespace kv::test
