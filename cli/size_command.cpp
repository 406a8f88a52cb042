// `kvlab size`: what a model takes in memory, and how much of it fits.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/quantity.h"
#include "cli/size_facts.h"

namespace kv::cli {

namespace {

constexpr int64_t kMost = 1'000'000'000;

constexpr const char* kNotes = R"(Nothing is run and no weights are needed. All numbers are predicted from the
model's shape; those of a GPU are what its maker publishes, those of "this"
machine are asked of it.

JSON keys: kv_bytes is the cache of all requests, kv_bytes_per_rank of it what one
rank holds, kv_bytes_per_token the first token, and kv_bytes_per_token_past_window
one more once every window is full. With a device: room_bytes is its memory less
reserve and weights, free_bytes what the requests leave of that (negative: too
little), max_concurrent how many of them fit, max_tokens how long they can grow,
and next_request_stops_at the length from which one more does not fit.

Examples:
  kvlab size llama-3.1-8b --tokens 131072
  kvlab size llama-3.1-70b --tokens 8192 --batch 16 --tensor-parallel 8 --gpu "H100 SXM"
  kvlab size deepseek-v3 --dtype f8 --unit GB
  kvlab size path/to/config.json --memory 24GiB --reserve 2GiB --json)";

int run(const SizeSettings& settings) {
  const SizeFacts facts = size_facts(settings);
  fmt::print("{}", settings.json ? size_json(facts) : settings.csv ? size_csv(facts) : size_text(facts));
  return 0;
}

}  // namespace

Command add_size(CLI::App& program) {
  CLI::App* app = program.add_subcommand("size", "Say what a model takes in memory, and how much fits.");
  app->group("Commands")->footer(std::string(kNotes) + "\n\n" + devices_note());
  const auto s = std::make_shared<SizeSettings>();
  app->add_option("MODEL", s->model, kModelHelp)->required()->type_name("");
  add_integer(*app, "--tokens", s->tokens, {0, kMost}, "of each request; 0: the model's full context");
  add_integer(*app, "--batch", s->batch, {1, kMost}, "requests at a time");
  add_format(*app, "--dtype", s->cache, "of the cache: f32 f16 bf16 f8 i8 i4 q8_0 q4_0");
  add_format(*app, "--weights-dtype", s->weights, "of the weights; a .gguf file's are as stored")
      ->each([s](const std::string&) { s->weights_given = true; });
  add_choice<ByteUnit>(*app, "--unit", s->unit, {{"GiB", ByteUnit::GiB}, {"GB", ByteUnit::GB}},
                       "2^30 bytes, or 10^9, of what people read");
  add_integer(*app, "--tensor-parallel", s->ranks, {1, 65536}, "ranks that share the model");
  add_gpu(*app, s->device.gpu);
  add_bytes(*app, "--memory", s->device.memory_bytes, 1, "of one device: 24GiB, 24GB or bytes");
  add_bytes(*app, "--reserve", s->reserve_bytes, 0, "of that, for everything else");
  app->add_flag("--json", s->json, "one JSON document");
  app->add_flag("--csv", s->csv, "a head and one row");
  return {app, [s] { return run(*s); }};
}

}  // namespace kv::cli
