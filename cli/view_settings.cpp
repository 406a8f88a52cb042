#include "cli/view_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "cli/model_path.h"
#include "cli/options.h"
#include "model/files/is_there.h"
#include "model/nearest.h"
#include "viewer/session/lane_numbers.h"

namespace kv::cli {

namespace {

using viewer::LaneView;
using viewer::RunView;
using viewer::ViewState;

constexpr int64_t kLongestSide = 16384;  // pixels; a graphics card may draw less
constexpr double kLeastScale = 0.5, kMostScale = 4;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

viewer::PixelSize size_from(const std::string& text) {
  const size_t cross = text.find('x');
  if (cross == std::string::npos)
    throw UsageError(fmt::format("--size: expected WIDTHxHEIGHT in pixels, found \"{}\"", text));
  const auto side = [](std::string_view digits) {
    return static_cast<int>(parse_integer("--size", digits, {1, kLongestSide}));
  };
  return {side(std::string_view(text).substr(0, cross)), side(std::string_view(text).substr(cross + 1))};
}

float scale_from(const std::string& text) {
  double scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error != std::errc() || end != text.data() + text.size() || !(scale >= kLeastScale && scale <= kMostScale))
    throw UsageError(
        fmt::format("--scale: expected a number from {} to {}, found \"{}\"", kLeastScale, kMostScale, text));
  return static_cast<float>(scale);
}

int size_to_compare(const std::string& name) {
  if (name.empty()) return -1;
  std::vector<std::string> names;
  for (const viewer::SizeOf& size : viewer::sizes_to_compare()) {
    if (lower(size.name) == lower(name)) return static_cast<int>(names.size());
    names.push_back(size.name);
  }
  throw UsageError(fmt::format("--size-of: expected {}, found \"{}\"", fmt::join(names, " or "), name));
}

int lane_named(const RunView& run, const std::string& name) {
  if (name.empty()) return 0;
  std::vector<std::string> labels;
  for (const LaneView& lane : run.lanes) {
    if (lower(lane.facts->label) == lower(name) || lane.facts->name == name) return static_cast<int>(labels.size());
    labels.push_back(lane.facts->label);
  }
  throw UsageError(fmt::format("--variant: expected {}, found \"{}\"", fmt::join(labels, " or "), name));
}

int64_t index_below(const char* option, int64_t index, int64_t count) {
  if (index >= count)
    throw UsageError(fmt::format("{}: expected a whole number from 0 to {}, found \"{}\"", option, count - 1, index));
  return index;
}

void complete(const ViewSettings& settings, const RunView& run, ViewState& view) {
  view.lane = lane_named(run, settings.variant);
  if (run.lanes.empty()) return;
  const ModelConfig& config = run.lanes[static_cast<size_t>(view.lane)].config();
  if (settings.layer) view.layer = index_below("--layer", *settings.layer, config.layers);
  if (settings.head) view.head = index_below("--head", *settings.head, config.heads);
  if (settings.zoom) view.zoom = {view.lane, index_below("--zoom", *settings.zoom, config.layers)};
}

const std::vector<std::string>& models_of(const ViewSettings& settings) {
  return settings.models.empty() ? kViewedModels : settings.models;
}

viewer::SessionSettings session_settings_of(const ViewSettings& settings) {
  viewer::SessionSettings session;
  session.prompt = settings.prompt.value_or(kViewedPrompt);
  session.tokens = settings.tokens.value_or(0);
  session.cache_dtype = settings.cache_dtype.value_or(kViewedCacheDtype);
  session.threads = static_cast<int>(settings.threads);
  return session;
}

viewer::ModelChoice model_choice_of(const std::string& model) {
  const std::filesystem::path path = model_path(model);
  return is_there(model) ? viewer::model_of_path(path) : viewer::ModelChoice{model, path};
}

bool are_the_same(const std::vector<viewer::ModelChoice>& kept, const std::vector<std::string>& asked) {
  return std::equal(kept.begin(), kept.end(), asked.begin(), asked.end(), [](const auto& have, const auto& want) {
    return weakly_canonical(have.path) == weakly_canonical(model_choice_of(want).path);
  });
}

// What is asked for besides a kept run must be what it holds: one must not silently win over the other.
void require_asked(const ViewSettings& asked, const viewer::SessionSettings& kept) {
  const auto require = [&](bool same, const char* option) {
    if (same) return;
    throw std::runtime_error(
        fmt::format("--run: \"{}\" holds a run of another {}; leave out {} to play it, or name "
                    "another file to keep a new one",
                    asked.run_file, option, option));
  };
  require(asked.models.empty() || are_the_same(kept.models, asked.models), "--model");
  require(!asked.prompt || *asked.prompt == kept.prompt, "--prompt");
  require(!asked.tokens || *asked.tokens == kept.tokens, "--tokens");
  require(!asked.cache_dtype || *asked.cache_dtype == kept.cache_dtype, "--cache-dtype");
}

}  // namespace

viewer::ViewOptions view_options_of(const ViewSettings& settings) {
  viewer::ViewOptions options;
  const std::vector<std::string>& models = models_of(settings);
  options.opening = models.size() == 1 ? models.front() : fmt::format("{} models", models.size());
  options.open = [settings](std::function<void()> on_progress) { return open_run(settings, std::move(on_progress)); };
  options.session = session_settings_of(settings);
  options.start = settings.start;
  options.start.step = settings.step;
  options.start.at_size_of = size_to_compare(settings.size_of);
  options.complete = [settings](const RunView& run, ViewState& view) { complete(settings, run, view); };
  if (!settings.theme.empty())
    options.theme =
        parse_choice("--theme", settings.theme, {"dark", "light"}) == 0 ? viewer::Theme::dark : viewer::Theme::light;
  if (settings.reduced_motion) options.reduced_motion = true;
  if (!settings.scale.empty()) options.scale = scale_from(settings.scale);
  if (!settings.size.empty()) options.size = size_from(settings.size);
  return options;
}

bool is_kept(const ViewSettings& settings) { return !settings.run_file.empty() && is_there(settings.run_file); }

std::unique_ptr<viewer::Session> open_run(const ViewSettings& settings, std::function<void()> on_progress) {
  if (is_kept(settings)) {
    std::unique_ptr<viewer::Session> kept = viewer::replay(settings.run_file, std::move(on_progress));
    require_asked(settings, kept->settings());
    return kept;
  }
  viewer::SessionSettings session = session_settings_of(settings);
  for (const std::string& model : models_of(settings)) session.models.push_back(model_choice_of(model));
  return std::make_unique<viewer::Session>(viewer::load_lanes(session), session, std::move(on_progress));
}

}  // namespace kv::cli
