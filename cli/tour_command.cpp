// `kvlab tour`: four models that differ in their attention alone continue one prompt, with the cache and without.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/cache_facts.h"
#include "cli/command.h"
#include "cli/generate_settings.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "cli/tour_report.h"
#include "cli/word_wrap.h"
#include "model/prompt.h"
#include "model/utf8_stream.h"

namespace kv::cli {

namespace {

constexpr std::array kModels = {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"};
constexpr size_t kWidest = 100;  // longer lines are hard to read

constexpr const char* kNotes = R"(Four small models continue one prompt, each with a KV cache and without: what it
holds, what it saves, and that it changes no bit. Takes a few seconds.

Examples:
  kvlab tour
  kvlab tour --prompt "Mr. Darcy" --tokens 200)";

constexpr const char* kIntroduction = R"(
  To choose the next token, a transformer looks back at all earlier ones: in
  each layer, at a key and a value of every token. Once computed they never
  change. A KV cache keeps them; without one, each step computes them anew.

  Four models learned from the same novels. They differ in what they keep.
)";

struct TourSettings {
  std::string prompt = "It is a truth universally acknowledged";
  int64_t tokens = 40;
  int64_t threads = default_threads();
};

void require_models() {
  const std::vector<std::string> known = known_models();
  std::vector<std::string> missing;
  for (const char* name : kModels)
    if (std::find(known.begin(), known.end(), name) == known.end()) missing.push_back(name);
  if (!missing.empty())
    throw std::runtime_error(fmt::format("the tour needs the trained checkpoints, but there is no {} in {}",
                                         fmt::join(missing, ", "), checkpoints_folder().string()));
}

// All four have one tokenizer and one context: what fits the first fits all.
void require_fit(const TourSettings& settings) {
  const LoadedModel model = load_named_model(kModels.front());
  cpu::GenerateOptions options;
  options.tokens = settings.tokens;
  cpu::require_room(std::ssize(tokens_of_prompt(model, settings.prompt, Specials::ignore)), options, model.config);
}

// One line of the show: a label, the prompt, and the text as it comes.
cpu::Generation stream(const LoadedModel& model, const std::string& text, std::span<const int32_t> prompt,
                       const cpu::GenerateOptions& options, cpu::Team& team, const Terminal& terminal) {
  const std::string label = options.cache == cpu::CacheUse::on ? "  with cache     " : "  without        ";
  fmt::print("{}", terminal.faint(label));
  std::fflush(stdout);
  WordWrap page(terminal, std::min<size_t>(kWidest, static_cast<size_t>(terminal.width())), columns_of(label));
  page.add_faint(text);
  Utf8Stream characters;
  Sampler greedy({});
  const auto on_token = [&](int32_t token) { page.add(characters.push(model.tokenizer->token_bytes(token))); };
  const cpu::Generation made =
      cpu::generate({model.config, model.weights}, prompt, options, greedy, on_token, cpu::Run{team});
  page.add(characters.flush());
  page.finish();
  return made;
}

TourRun visit(const std::string& name, const TourSettings& settings, cpu::Team& team, const Terminal& terminal) {
  const LoadedModel model = load_named_model(name);
  const std::vector<int32_t> prompt = tokens_of_prompt(model, settings.prompt, Specials::ignore);
  fmt::print("\n{}  {}\n", terminal.bold(name), heads_text(model.config));

  cpu::GenerateOptions options;
  options.stop_at_end = false;  // all runs are to be of one length
  options.tokens = 1;           // the first touch brings the weights into memory, and is not measured
  Sampler greedy({});
  cpu::generate({model.config, model.weights}, prompt, options, greedy, {}, cpu::Run{team});

  options.tokens = settings.tokens;
  TourRun run{model.config, {}, {}};
  run.with_cache = stream(model, settings.prompt, prompt, options, team, terminal);
  options.cache = cpu::CacheUse::off;
  run.without_cache = stream(model, settings.prompt, prompt, options, team, terminal);
  return run;
}

int run(const TourSettings& settings) {
  require_models();
  require_fit(settings);
  const Terminal terminal(stdout);
  fmt::print("{}\n{}", terminal.bold("kvlab: what a KV cache is, in four models"), kIntroduction);

  cpu::Team team(static_cast<int>(settings.threads));
  std::vector<TourRun> runs;
  for (const char* name : kModels) runs.push_back(visit(name, settings, team, terminal));

  const Dtype cache_dtype = cpu::GenerateOptions{}.cache_dtype;
  const TourRun& first = runs.front();
  const int64_t held = first.with_cache.kv_bytes / first.config.cache_bytes(1, cache_dtype);
  fmt::print("\n{}", memory_report(runs, cache_dtype, held, terminal));
  fmt::print("\n{}", work_report(runs, settings.threads, terminal));
  fmt::print("\n{}", identity_report(runs, terminal));
  return std::all_of(runs.begin(), runs.end(), [](const TourRun& run) { return run.same_logits(); }) ? 0 : 1;
}

}  // namespace

Command add_tour(CLI::App& program) {
  CLI::App* app = program.add_subcommand("tour", "The terminal tour: four models, with the cache and without.");
  app->group("Commands")->footer(kNotes);
  const auto settings = std::make_shared<TourSettings>();
  add_text(*app, "--prompt", settings->prompt, "TEXT", "what all four continue");
  add_integer(*app, "--tokens", settings->tokens, {1, 1'000'000}, "how many each generates");
  add_integer(*app, "--threads", settings->threads, {1, 1024}, "of the CPU");
  return {app, [settings] { return run(*settings); }};
}

}  // namespace kv::cli
