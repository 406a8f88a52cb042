// `kvlab inspect`: what is in a checkpoint, and what was assumed where it is silent.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/inspection.h"
#include "cli/model_path.h"
#include "cli/progress.h"

namespace kv::cli {

namespace {

constexpr const char* kNotes = R"(Shows the model as kvlab understands it, what was assumed where its file is
silent, its tensors and its tokenizer, and what a token takes in the KV cache. A
GGUF file that cannot run is shown as well, as far as it is understood.

Examples:
  kvlab inspect austen-mla
  kvlab inspect checkpoints/austen-gqa/config.json
  kvlab inspect checkpoints/austen-gqa/model.safetensors --json
  kvlab inspect smollm2                                     # once fetched)";

struct InspectSettings {
  std::string path;
  bool json = false;
};

int run(const InspectSettings& settings) {
  const std::filesystem::path path = model_path(settings.path);
  Progress progress("reading " + path.string());
  const Inspection found = inspect(path);
  progress.finish();
  if (settings.json)
    fmt::print("{}\n", json_of(found));
  else
    fmt::print("{}", text_of(found, Terminal(stdout)));
  return 0;
}

}  // namespace

Command add_inspect(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("inspect", "Show what is in a checkpoint, and what a token takes in the cache.");
  app->group("Commands")->footer(kNotes);
  const auto settings = std::make_shared<InspectSettings>();
  app->add_option("PATH", settings->path,
                  "a known name, a checkpoint folder, a config.json,\na .safetensors or a .gguf file")
      ->required()
      ->type_name("");
  app->add_flag("--json", settings->json, "one JSON document, with every tensor");
  return {app, [settings] { return run(*settings); }};
}

}  // namespace kv::cli
