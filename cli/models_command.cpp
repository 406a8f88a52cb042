// `kvlab models`: the presets, models that can be sized and priced by name.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/cache_facts.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/numbers.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "model/bytes.h"
#include "model/memory.h"
#include "model/parameters.h"
#include "model/presets.h"

namespace kv::cli {

namespace {

constexpr const char* kNotes = R"(A preset holds the fields of a model's config.json that say what it is, and no
weights: kvlab size and kvlab cost take its name or its hub id, or the beginning
of one. A token's bytes are those of a bf16 cache.

Examples:
  kvlab models
  kvlab size qwen3-8b --tokens 32768)";

constexpr NumberFormat kCacheFormat = Dtype::bf16;

std::string parameters_text(const ModelConfig& config) {
  return config.unknown_parameters.empty() ? with_letter(static_cast<double>(parameter_count(config))) : "not known";
}

std::string text_of(const Terminal& terminal) {
  TextTable table("lrlrrrl");
  table.add({"name", "parameters", "attention", "layers", "a token", "context", "hub id"});
  for (const Preset& preset : presets()) {
    const ModelConfig config = config_of(preset);
    table.add({std::string(preset.name), parameters_text(config), std::string(attention_kind(config)),
               std::to_string(config.layers), to_string(Bytes{request_cache_bytes(config, 1, kCacheFormat)}),
               with_commas(config.max_context), std::string(preset.id)});
  }
  std::string text;
  for (const std::string& line : table.lines()) text += (text.empty() ? terminal.faint(line) : line) + "\n";
  return text + fmt::format("\n{} presets: shapes without weights, for kvlab size and kvlab cost (bf16, predicted).\n",
                            presets().size());
}

std::string json_of_presets() {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Preset& preset : presets()) {
    const ModelConfig config = config_of(preset);
    const bool counted = config.unknown_parameters.empty();
    list.push_back({{"name", preset.name},
                    {"id", preset.id},
                    {"family", name_of(config.family)},
                    {"attention", attention_kind(config)},
                    {"layers", config.layers},
                    {"max_context", config.max_context},
                    {"parameters", counted ? Json(parameter_count(config)) : Json(nullptr)},
                    {"dtype", kCacheFormat.name},
                    {"kv_bytes_per_token", request_cache_bytes(config, 1, kCacheFormat)},
                    {"kv_bytes_per_token_past_window", cache_bytes_past_windows(config, kCacheFormat)},
                    {"kv_bytes_at_max_context", request_cache_bytes(config, config.max_context, kCacheFormat)},
                    {"cannot_run", config.cannot_run.empty() ? Json(nullptr) : Json(config.cannot_run)},
                    {"unknown_parameters", counted ? Json(nullptr) : Json(config.unknown_parameters)},
                    {"verification", preset.verification},
                    {"source", preset.source}});
  }
  return document_text({{"models", list}}) + "\n";
}

}  // namespace

Command add_models(CLI::App& program) {
  CLI::App* app = program.add_subcommand("models", "List the models that are known by name.");
  app->group("Commands")->footer(kNotes);
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "one JSON document, with where each shape was read");
  return {app, [json] {
            fmt::print("{}", *json ? json_of_presets() : text_of(Terminal(stdout)));
            return 0;
          }};
}

}  // namespace kv::cli
