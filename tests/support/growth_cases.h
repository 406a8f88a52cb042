// Runs and view states in which the growth scene is tested, and the scene itself.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fixed_measure.h"
#include "tests/support/viewer_runs.h"
#include "viewer/draw/growth.h"
#include "viewer/draw/growth_headline.h"
#include "viewer/draw/growth_map.h"
#include "viewer/draw/growth_scene.h"

namespace kv::viewer {

inline const FixedMeasure kFixedMeasure;

inline ViewState view_of(float width, float height, int64_t step, double axis) {
  ViewState view;
  view.window = {0, 0, width, height};
  view.step = step;
  view.axis = axis;
  return view;
}

struct GrowthRun {
  std::string name;
  RunView run;
  int64_t last_step = 0;
};

// Each recorded once.
inline const std::vector<GrowthRun>& growth_runs() {
  static std::vector<std::unique_ptr<test::RecordedRun>> owners;
  static const std::vector<GrowthRun> runs = [] {
    std::vector<GrowthRun> made;
    const auto add = [&](std::string name, test::RecordedRun run) {
      owners.push_back(std::make_unique<test::RecordedRun>(std::move(run)));
      const RunView view = owners.back()->view();
      made.push_back({std::move(name), view, std::max<int64_t>(0, view.last_step())});
    };
    test::RecordedRun four = test::four_models(60);
    four.run_without_cache(32).set_machine({40e9, 100e9});
    add("four models", std::move(four));
    test::RecordedRun one(load_lanes(test::settings_of({"austen-mqa"})), test::kViewerPrompt);
    one.record_to(6);
    add("one model", std::move(one));
    add("at the start", test::four_models_at_the_start());
    add("reading the prompt", test::four_models_reading());
    add("full", test::four_full_models());
    add("a window", test::window_model(40));
    add("thirty layers", test::thirty_layers(6));
    add("one lane failed", test::one_failing_lane());
    made.push_back({"nothing is open", {}, 0});
    return made;
  }();
  return runs;
}
inline const GrowthRun& growth_run(const std::string& name) {
  for (const GrowthRun& run : growth_runs())
    if (run.name == name) return run;
  throw std::out_of_range(name);
}

// Every way to look at a run, at some steps, in one window.
inline void for_each_view(const GrowthRun& run, float width, float height,
                          const std::function<void(const ViewState&)>& check) {
  for (const int64_t step : {int64_t{0}, int64_t{1}, run.last_step / 2, run.last_step}) {
    if (step > run.last_step) continue;
    const int64_t context = run.run.lanes.empty() ? 0 : run.run.lanes.front().context_at(step);
    for (const double axis : {static_cast<double>(axis_for(context)), 1024.0, 8192.0}) {
      ViewState view = view_of(width, height, step, axis);
      check(view);
      view.panel = false;
      view.lane = 3;
      check(view);
      view.cache_on = false;
      check(view);
      view.cache_on = true;
      view.by_slot = true;
      check(view);
      view.by_slot = false;
      view.zoom = Zoom{0, 1};
      check(view);
      view.zoom = Zoom{3, 0};
      check(view);
      view.zoom.reset();
      for (view.at_size_of = 0; view.at_size_of < 3; ++view.at_size_of) check(view);
    }
  }
}

inline std::string words_of_case(const GrowthRun& run, const ViewState& view) {
  return run.name + ", step " + std::to_string(view.step) + ", axis " + std::to_string(view.axis) + ", " +
         std::to_string(static_cast<int>(view.window.width())) + "x" +
         std::to_string(static_cast<int>(view.window.height())) + (view.cache_on ? "" : ", cache off") +
         (view.by_slot ? ", by slot" : "") + (view.zoom ? ", zoom into lane " + std::to_string(view.zoom->lane) : "") +
         ", size " + std::to_string(view.at_size_of) + (view.panel ? "" : ", no panel");
}

}  // namespace kv::viewer
