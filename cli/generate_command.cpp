// `kvlab generate`: one model continues one prompt, from the cache or without it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/answer.h"
#include "cli/chat_prompt.h"
#include "cli/command.h"
#include "cli/generate_report.h"
#include "cli/generate_settings.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/prompt.h"
#include "cli/tell.h"
#include "cli/trace_file.h"
#include "model/prompt.h"

namespace kv::cli {

namespace {

constexpr int64_t kMost = 1'000'000'000;  // more than any context; small enough to multiply

constexpr const char* kNotes = R"(The answer goes to stdout, token by token; what was measured and counted goes to
stderr. On a terminal the prompt stands before the answer, faint; into a pipe
goes the answer alone. Defaults are in brackets.

Examples:
  kvlab generate --prompt "It is a truth" --tokens 40
  kvlab generate --prompt "It is a truth" --cache off    # the same logits, more work
  kvlab generate --model austen-mla --temperature 0.8 --seed 7 --prompt "My dear"
  kvlab generate --model tests/goldens/llama-gqa3 --raw-ids --prompt 5,17,4 --json
  kvlab generate --prompt "It is" --tokens 2 --trace run.safetensors
  kvlab generate --prompt - < letter.txt
  kvlab generate --model smollm2 --chat --prompt "What is a cache?"   # once fetched)";

void add_prompt_options(CLI::App& app, GenerateSettings& s) {
  constexpr const char* kGroup = "Model and prompt";
  add_text(app, "--model", s.model, "MODEL",
           "austen-mha, -gqa, -mqa or -mla, smollm2, a checkpoint\nfolder, its config.json, or a .gguf file")
      ->group(kGroup);
  add_text(app, "--prompt", s.prompt, "TEXT", "what to continue; - reads stdin, less a last line feed")->group(kGroup);
  app.add_flag("--raw-ids", s.raw_ids, "the prompt is a list of token ids; ids are printed")->group(kGroup);
  add_choice<Specials>(app, "--specials", s.specials, {{"on", Specials::parse}, {"off", Specials::ignore}},
                       "<|...|> in the prompt is the special token")
      ->group(kGroup);
  app.add_flag("--chat", s.chat, "the prompt is a message: the model's chat template\ngoes around it")->group(kGroup);
}

void add_sampling_options(CLI::App& app, GenerateSettings& s) {
  constexpr const char* kGroup = "Choice of tokens";
  add_integer(app, "--tokens", s.options.tokens, {1, kMost}, "how many, at most")->group(kGroup);
  add_number(app, "--temperature", s.sampler.temperature, "0: the likeliest, so that runs repeat")->group(kGroup);
  add_integer(app, "--top-k", s.sampler.top_k, {0, kMost}, "draw from the K likeliest; 0: from all")->group(kGroup);
  add_number(app, "--top-p", s.sampler.top_p, "draw from the likeliest that hold this share")->group(kGroup);
  add_integer(app, "--seed", s.seed, {0, INT64_MAX}, "of the random draws: the same seed, the same text")
      ->group(kGroup);
}

void add_cache_options(CLI::App& app, GenerateSettings& s) {
  using cpu::CacheUse;
  using cpu::LatentForm;
  constexpr const char* kGroup = "KV cache";
  add_choice<CacheUse>(app, "--cache", s.options.cache, {{"on", CacheUse::on}, {"off", CacheUse::off}},
                       "off: recompute all tokens at each step")
      ->group(kGroup);
  add_choice<Dtype>(app, "--cache-dtype", s.options.cache_dtype,
                    {{"f32", Dtype::f32}, {"f16", Dtype::f16}, {"bf16", Dtype::bf16}},
                    "what keys and values are rounded to, cache or not")
      ->group(kGroup);
  add_integer(app, "--capacity", s.options.capacity, {0, kMost}, "slots of the cache; 0: as many as the run needs")
      ->group(kGroup);
  const auto read_chunks = [&s](const std::string& text) {
    s.options.chunks = parse_integers("--chunk", text, {1, kMost});
  };
  app.add_option_function<std::string>("--chunk", read_chunks,
                                       "read the prompt in calls of A, B, ... tokens; the last\nsize repeats")
      ->type_name("A,B,...")
      ->group(kGroup);
  add_choice<LatentForm>(app, "--form", s.options.form,
                         {{"absorbed", LatentForm::absorbed}, {"materialised", LatentForm::materialised}},
                         "of latent attention (MLA)")
      ->group(kGroup);
}

void add_run_options(CLI::App& app, GenerateSettings& s) {
  constexpr const char* kGroup = "Run";
  add_choice<WeightsChoice>(app, "--weights", s.weights,
                            {{"file", WeightsChoice::file}, {"f32", WeightsChoice::f32}, {"bf16", WeightsChoice::bf16}},
                            "storage; f32 and bf16 store them anew")
      ->group(kGroup);
  add_choice<DeviceChoice>(app, "--device", s.device,
                           {{"auto", DeviceChoice::automatic},
                            {"cpu", DeviceChoice::cpu},
                            {"cuda", DeviceChoice::cuda},
                            {"emulated", DeviceChoice::emulated}},
                           "who computes")
      ->group(kGroup);
  add_integer(app, "--threads", s.threads, {1, 1024}, "of the CPU; more change the time and no bit")->group(kGroup);
  add_text(app, "--trace", s.trace_file, "FILE",
           "FILE.json: counters and shapes of every call;\nFILE.safetensors: the tensors too")
      ->check([](const std::string& file) { return file.empty() ? std::string("no file is named") : std::string(); })
      ->group(kGroup);
  app.add_flag("--json", s.json, "one JSON document on stdout")->group(kGroup);
}

void refuse_what_is_not_there(const GenerateSettings& s) {
  if (s.device == DeviceChoice::cuda || s.device == DeviceChoice::emulated)
    throw std::runtime_error(fmt::format("--device {}: this build has no CUDA kernels yet; use --device cpu",
                                         s.device == DeviceChoice::cuda ? "cuda" : "emulated"));
  if (s.chat && s.raw_ids)
    throw UsageError(
        "--chat writes the prompt with the model's template, which --raw-ids has no text for; leave one out");
}

Sampler sampler_of(const GenerateSettings& s) {
  SamplerSettings settings = s.sampler;
  settings.seed = static_cast<uint64_t>(s.seed);
  try {
    return Sampler(settings);
  } catch (const std::invalid_argument& error) {
    std::string words = error.what();  // "top_p is 2, ..."
    std::replace(words.begin(), words.end(), '_', '-');
    throw UsageError("--" + words);
  }
}

LoadOptions load_options(const GenerateSettings& s) {
  switch (s.weights) {
    case WeightsChoice::file: return {};
    case WeightsChoice::f32: return {Dtype::f32};
    case WeightsChoice::bf16: return {Dtype::bf16};
  }
  return {};
}

// More slots than positions could never be filled, and would only be memory.
void require_useful_capacity(const GenerateSettings& s, const ModelConfig& config) {
  if (s.options.capacity > config.max_context)
    throw std::runtime_error(fmt::format("--capacity {} is more than the {} positions of {}", s.options.capacity,
                                         config.max_context, config.name));
}

std::vector<int32_t> tokens_of(const GenerateSettings& s, const LoadedModel& model, const std::string& text) {
  if (s.chat) return tokens_of_chat(model, chat_template_at(model_path(s.model)), text, s.specials);
  if (!s.raw_ids) return tokens_of_prompt(model, text, s.specials);
  std::vector<int32_t> ids = parse_token_ids(text);
  if (ids.empty()) throw std::runtime_error("the prompt is empty: give token ids, such as --prompt 0,17,4");
  return ids;
}

int run(const GenerateSettings& s) {
  refuse_what_is_not_there(s);
  Sampler sampler = sampler_of(s);
  std::optional<TraceFile> trace;
  if (!s.trace_file.empty()) trace.emplace(s.trace_file);

  // Load the model.
  const LoadedModel model = load_named_model(s.model, load_options(s));
  require_useful_capacity(s, model.config);

  // Read the prompt.
  const std::string text = read_prompt(s.prompt);
  const std::vector<int32_t> prompt = tokens_of(s, model, text);

  // Embeddings often have spare rows that no text leads to.
  cpu::GenerateOptions options = s.options;
  if (model.tokenizer && !s.raw_ids) options.excluded = ids_without_token(*model.tokenizer, model.config.vocab);

  // Generate; the first token ends the silence in which the prompt is read.
  cpu::Team team(static_cast<int>(s.threads));
  const Answer::Form form = s.json ? Answer::Form::silent : s.raw_ids ? Answer::Form::ids : Answer::Form::text;
  Answer answer(model, form, s.raw_ids ? token_ids_text(prompt) : s.chat ? text + "\n" : text);
  Progress progress(fmt::format("reading {} prompt tokens", prompt.size()));
  const auto on_token = [&](int32_t token) {
    progress.finish();
    if (trace) trace->after_call();
    answer.add(token);
  };
  const cpu::Generation made = cpu::generate({model.config, model.weights}, prompt, options, sampler, on_token,
                                             cpu::Run{team, trace ? &trace->trace() : nullptr});
  answer.finish();

  // Report.
  if (trace) trace->write(model.config.name, prompt, made.tokens);
  if (s.json)
    fmt::print("{}\n", json_report(model, s, prompt, made, answer.text()));
  else
    tell(closing_line(made, s.options));
  return 0;
}

}  // namespace

Command add_generate(CLI::App& program) {
  CLI::App* app = program.add_subcommand("generate", "Continue a prompt, with the cache or without.");
  app->group("Commands")->footer(kNotes);
  const auto settings = std::make_shared<GenerateSettings>();
  add_prompt_options(*app, *settings);
  add_sampling_options(*app, *settings);
  add_cache_options(*app, *settings);
  add_run_options(*app, *settings);
  return {app, [settings] { return run(*settings); }};
}

}  // namespace kv::cli
