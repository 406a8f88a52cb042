// `kvlab view`: models that run, in a window, in pictures, or in words.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/tell.h"
#include "cli/view_settings.h"
#include "model/files/is_there.h"
#include "viewer/draw/words.h"

namespace kv::cli {

namespace {

using viewer::Session;
using viewer::ViewOptions;

constexpr int64_t kMostSteps = 1'000'000;
constexpr int64_t kMostIndex = 100'000;
constexpr int kProfiledFrames = 100;

constexpr const char* kNotes = R"(A .gguf file, a config.json or a checkpoint's folder that is dropped on the window is
opened. F1 lists the keys.

--run FILE keeps a run: what was recorded, times included, is played again when the file exists. Pictures and words of
later steps than it holds record on, and keep that too; a window leaves the file as it is. A window without the file
keeps the run that it shows when it is closed.
Pictures and words need no hand: with --screenshot, --frames or --describe no window opens.

Examples:
  kvlab view
  kvlab view --model smollm2 --prompt "Once upon a time"
  kvlab view --step 98 --describe
  kvlab view --step 98 --screenshot growth.png --size 2880x1800 --scale 2
  kvlab view --frames pictures --from 1 --to 60)";

// Of a file or folder: an empty one, from a script's unset variable for example, is not the same as none.
void add_path(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
              const std::string& help) {
  const auto read = [name, &value](const std::string& text) {
    if (text.empty()) throw UsageError(fmt::format("{}: expected a path, found \"\"", name));
    value = text;
  };
  app.add_option_function<std::string>(name, read, help)->type_name(type);
}

void add_what_runs(CLI::App& app, ViewSettings& s) {
  app.add_option("--model", s.models, "what runs, again for each [the four small models of the tour]")
      ->type_name("PATH")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option_function<std::string>(
         "--prompt", [&s](const std::string& text) { s.prompt = text; },
         with_default("what all of them continue; token ids where there is no tokenizer", kViewedPrompt))
      ->type_name("TEXT");
  app.add_option_function<std::string>(
         "--tokens",
         [&s](const std::string& text) {
           s.tokens = parse_integer("--tokens", text, {1, kMostSteps});
         },
         "steps at most [until the cache is full: the model's context, or 8,192]")
      ->type_name("N");
  add_choice<std::optional<Dtype>>(app, "--cache-dtype", s.cache_dtype,
                                   {{"f32", Dtype::f32}, {"f16", Dtype::f16}, {"bf16", Dtype::bf16}},
                                   with_default("what the cache stores", std::string(name_of(kViewedCacheDtype))));
  add_integer(app, "--threads", s.threads, {1, 1024}, "of the CPU");
  add_path(app, "--run", s.run_file, "FILE", "play this recording; if there is none yet, make it");
}

// An index that only the run can check for its end.
void add_index(CLI::App& app, const std::string& name, std::optional<int64_t>& value, const std::string& help) {
  const auto read = [name, &value](const std::string& text) { value = parse_integer(name, text, {0, kMostIndex}); };
  app.add_option_function<std::string>(name, read, help)->type_name("N");
}

void add_where_to_look(CLI::App& app, ViewSettings& s) {
  using viewer::PanelPage;
  using viewer::Scene;
  viewer::ViewState& start = s.start;
  add_choice<Scene>(app, "--scene", start.scene, {{"growth", Scene::growth}, {"attention", Scene::attention}}, "which");
  add_integer(app, "--step", s.step, {0, kMostSteps}, "where the playhead stands");
  add_text(app, "--variant", s.variant, "NAME", "the selected lane, MHA for example");
  add_index(app, "--zoom", s.zoom, "the layer of that lane to look into");
  add_index(app, "--layer", s.layer, "whose attention is shown");
  add_index(app, "--head", s.head, "the query head");
  add_choice<cpu::LatentForm>(
      app, "--form", start.form,
      {{"absorbed", cpu::LatentForm::absorbed}, {"materialised", cpu::LatentForm::materialised}},
      "of latent attention");
  add_choice<bool>(app, "--cache", start.cache_on, {{"on", true}, {"off", false}}, "off: as it were without");
  add_choice<bool>(app, "--by", start.by_slot, {{"slot", true}, {"position", false}}, "order of the cache of a window");
  add_text(app, "--size-of", s.size_of, "NAME", "at the size of a large model: Llama-3-8B, Llama-3-70B, DeepSeek-V3");
  add_choice<PanelPage>(app, "--page", start.page,
                        {{"start", PanelPage::start}, {"inspector", PanelPage::inspector}, {"words", PanelPage::words}},
                        "of the panel");
}

void add_how(CLI::App& app, ViewSettings& s) {
  add_text(app, "--theme", s.theme, "dark|light", "of colours");
  add_text(app, "--scale", s.scale, "S", "pixels in one of the layout, 0.5 to 4 [the screen's]");
  app.add_flag("--reduced-motion", s.reduced_motion, "nothing glides or flashes");
  add_text(app, "--size", s.size, "WxH", "of window or picture, in pixels");
  add_path(app, "--screenshot", s.screenshot, "FILE.png", "write a picture of the step instead");
  add_path(app, "--frames", s.frames, "DIR", "write pictures of the steps --from to --to instead");
  add_integer(app, "--from", s.from, {0, kMostSteps}, "first step");
  add_integer(app, "--to", s.to, {0, kMostSteps}, "last step");
  app.add_flag("--describe", s.describe, "print the step in words instead");
  app.add_flag("--profile", s.profile, "time the building of frames instead");
}

void require_consistent(const ViewSettings& s) {
  const int instead = !s.screenshot.empty() + !s.frames.empty() + s.describe + s.profile;
  if (instead > 1) throw UsageError("--screenshot, --frames, --describe and --profile exclude each other");
  if (!s.frames.empty() && s.to < s.from) throw UsageError("--to must not be less than --from");
  const auto place = [](const std::string& path) { return weakly_canonical(std::filesystem::absolute(path)); };
  if (!s.run_file.empty() && !s.screenshot.empty() && place(s.run_file) == place(s.screenshot))
    throw UsageError("--screenshot and --run name the same file: the picture would take the place of the run");
}

// Before anything is run: can what it gives be kept?
void require_keepable(const ViewSettings& settings) {
  if (settings.run_file.empty() || is_there(settings.run_file)) return;
  const std::filesystem::path folder = std::filesystem::absolute(settings.run_file).parent_path();
  if (!is_there(folder))
    throw std::runtime_error(fmt::format("--run: there is no folder \"{}\" to keep the run in", folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw std::runtime_error(fmt::format("--run: nothing can be written in \"{}\"", folder.string()));
}

// A run in which every lane failed has nothing to show, and one that ends early shows its end.
void tell_what_is_missing(const ViewSettings& settings, const viewer::RunView& run, int64_t last_step) {
  const auto recorded = [](const viewer::LaneView& lane) { return !lane.steps.empty(); };
  if (std::none_of(run.lanes.begin(), run.lanes.end(), recorded))
    throw std::runtime_error(fmt::format("{}: {}", run.lanes.front().facts->name, run.lanes.front().stopped));
  const int64_t end = run.last_step();
  if (!settings.frames.empty() && settings.from > end)
    throw std::runtime_error(fmt::format("--from: the run ends at step {}", end));
  if (last_step > end) tell(fmt::format("kvlab: the run ends at step {}, which is the last that is shown", end));
}

// The run for pictures and words, recorded a step beyond the last that is wanted, which tells what was chosen there.
// Pictures, and runs that --run keeps, have all that a window would show after a while: predictions for this machine
// and what was run without the cache. A kept run is saved whenever it had to go on, and shown from its file: what was
// shown once will be shown again.
std::unique_ptr<Session> opened(const ViewSettings& settings, int64_t last_step) {
  const Progress progress("running the models");
  const bool was_kept = is_kept(settings);
  std::unique_ptr<Session> session = open_run(settings, nullptr);
  const bool whole = was_kept && session->holds(last_step + 1);
  if (!whole) session->wanted_step(last_step);
  session->wait_for(last_step + 1);
  tell_what_is_missing(settings, session->view(), last_step);
  if (whole) return session;
  if (settings.run_file.empty() && (settings.describe || settings.profile)) return session;
  session->wait_until_idle();
  if (settings.run_file.empty()) return session;
  session->save(settings.run_file);
  session.reset();
  return open_run(settings, nullptr);
}

int describe(const ViewSettings& settings, const ViewOptions& options) {
  const std::unique_ptr<Session> session = opened(settings, settings.step);
  const viewer::RunView run = session->view();
  const std::string words = viewer::words_of(run, viewer::still_view(run, options, settings.step));
  fmt::print("{}{}", words, words.ends_with('\n') ? "" : "\n");
  return 0;
}

#ifdef KVLAB_HAS_VIEWER

int write_pictures(const ViewSettings& settings, const ViewOptions& options) {
  const bool folder = !settings.frames.empty();
  const int64_t first = folder ? settings.from : settings.step, last = folder ? settings.to : settings.step;
  const auto open = [&] { return opened(settings, last); };
  viewer::write_pictures(
      open, options,
      {.file = folder ? settings.frames : settings.screenshot, .folder = folder, .first = first, .last = last});
  return 0;
}

int profile(const ViewSettings& settings, const ViewOptions& options) {
  const std::unique_ptr<Session> session = opened(settings, settings.step);
  fmt::print("{}", viewer::profile_of_frames(*session, options, kProfiledFrames));
  return 0;
}

int show(const ViewSettings& settings, const ViewOptions& options) {
  const bool was_kept = is_kept(settings);
  const std::unique_ptr<Session> session = viewer::run_view(options);
  if (session == nullptr || settings.run_file.empty() || was_kept) return 0;
  if (is_kept(settings))
    throw std::runtime_error(
        fmt::format("\"{}\" was written by another program meanwhile; this run is not kept", settings.run_file));
  session->save(settings.run_file);
  return 0;
}

// Without a display: why, and what there is instead.
int with_display(const std::function<int()>& work) {
  try {
    return work();
  } catch (const viewer::NoDisplay& reason) {
    throw std::runtime_error(
        fmt::format("{}; without a display there are kvlab view --describe and kvlab tour", reason.what()));
  }
}

#endif

int run(const ViewSettings& settings) {
  require_consistent(settings);
  require_keepable(settings);
  const ViewOptions options = view_options_of(settings);
  if (settings.describe) return describe(settings, options);
#ifdef KVLAB_HAS_VIEWER
  if (settings.profile) return profile(settings, options);
  if (!settings.screenshot.empty() || !settings.frames.empty())
    return with_display([&] { return write_pictures(settings, options); });
  return with_display([&] { return show(settings, options); });
#else
  throw std::runtime_error(
      "this build has no viewer, because a library was missing when it was built (libimgui-dev, libglfw3-dev, "
      "libpng-dev, libfontconfig-dev, libgl-dev); without it there are kvlab view --describe and kvlab tour");
#endif
}

}  // namespace

Command add_view(CLI::App& program) {
  CLI::App* app = program.add_subcommand("view", "The viewer: caches grow, in a window, a picture, or words.");
  app->group("Commands")->footer(kNotes);
  const auto settings = std::make_shared<ViewSettings>();
  add_what_runs(*app, *settings);
  add_where_to_look(*app, *settings);
  add_how(*app, *settings);
  return {app, [settings] { return run(*settings); }};
}

std::string view_without_words() {
#ifdef KVLAB_HAS_VIEWER
  const ViewSettings settings;
  try {
    show(settings, view_options_of(settings));
    return "";
  } catch (const viewer::NoDisplay& reason) {
    return reason.what();
  }
#else
  return "this build has no viewer";
#endif
}

}  // namespace kv::cli
