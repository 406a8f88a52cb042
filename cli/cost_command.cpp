// `kvlab cost`: what a decode step or a prefill takes, operation by operation, and how long that must take.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/cost_facts.h"
#include "cli/options.h"
#include "cli/quantity.h"
#include "cli/served_device.h"

namespace kv::cli {

namespace {

constexpr int64_t kMost = 1'000'000'000;

constexpr const char* kNotes = R"(Nothing is run and no weights are needed: FLOPs and bytes are predicted from the
model's shape, and kvlab's tests compare them with what its reference counts while
it runs. A multiply-add is 2 FLOPs; "FLOPs of products" are those of projections,
experts, head, scores and weighted sum, which publications count. Weights are read
once in a call, each cached value once.

With a device, the time is the longer of bytes / bandwidth and FLOPs / peak: a
floor that real runs stay above. --gpu this measures this machine, which takes
about a second.

JSON keys: the sums (matmul_flops, other_flops, flops, weight_bytes,
cache_bytes_read, cache_bytes_written, activation_bytes, kv_projections,
score_pairs, memory_bytes, intensity); operations, a list with the same for each;
with_cache and without_cache, the same work either way, and ratio, of their
matmul_flops; cache_outweighs_weights_at, a context; absorb_below_queries, for
latent attention; with a device bytes_per_second, flops_per_second, ridge,
memory_seconds, compute_seconds, seconds and bound, null where a number is not
known. CSV has one row for each operation and one of the sum.

Examples:
  kvlab cost smollm2-135m --context 2048
  kvlab cost llama-3.1-8b --context 131072 --gpu "H200 SXM"
  kvlab cost deepseek-v3 --context 32768 --form expanded
  kvlab cost llama-3.1-8b --phase prefill --context 8192 --chunk 512 --gpu 4090 --json)";

int run(const CostSettings& settings) {
  const CostFacts facts = cost_facts(settings);
  fmt::print("{}", settings.json ? cost_json(facts) : settings.csv ? cost_csv(facts) : cost_text(facts));
  return 0;
}

}  // namespace

Command add_cost(CLI::App& program) {
  CLI::App* app = program.add_subcommand("cost", "Say what a decode step or a prefill takes, part by part.");
  app->group("Commands")->footer(std::string(kNotes) + "\n\n" + devices_note());
  const auto s = std::make_shared<CostSettings>();
  app->add_option("MODEL", s->model, kModelHelp)->required()->type_name("");
  add_choice<Phase>(*app, "--phase", s->phase, {{"prefill", Phase::prefill}, {"decode", Phase::decode}},
                    "a prompt, or one token of each request");
  add_integer(*app, "--context", s->context, {0, kMost},
              "tokens that the step sees, its own included, or of the\nprompt; 0: 2,048 or the model's context");
  add_integer(*app, "--chunk", s->chunk, {0, kMost}, "tokens of a call of the prefill; 0: all in one");
  add_integer(*app, "--batch", s->setting.batch, {1, kMost}, "requests at a time");
  add_choice<CacheWork>(*app, "--cache", s->setting.cache, {{"on", CacheWork::on}, {"off", CacheWork::off}},
                        "off: every call computes all tokens");
  add_choice<LatentWork>(*app, "--form", s->setting.form,
                         {{"absorbed", LatentWork::absorbed},
                          {"materialised", LatentWork::materialised},
                          {"expanded", LatentWork::expanded}},
                         "of latent attention (MLA); expanded caches K and V of\nevery head")
      ->each([s](const std::string&) { s->form_given = true; });
  add_format(*app, "--dtype", s->setting.storage.cache, "of the cache: f32 f16 bf16 f8 i8 i4 q8_0 q4_0");
  add_format(*app, "--weights-dtype", s->setting.storage.weights, "of the weights");
  add_gpu(*app, s->device.gpu);
  add_bandwidth(*app, "--bandwidth", s->device.bandwidth, "of a device: 936GB/s, 3.35TB/s or bytes a second");
  add_flops(*app, "--peak", s->device.peak, "of a device: 82.6TFLOPS, 2.25P or FLOPs a second");
  app->add_flag("--json", s->json, "one JSON document");
  app->add_flag("--csv", s->csv, "a head, a row for each operation and one of the sum");
  return {app, [s] { return run(*s); }};
}

}  // namespace kv::cli
