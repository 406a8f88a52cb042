#include "cli/cost_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/progress.h"

namespace kv::cli {

namespace {

constexpr int64_t kDefaultContext = 2048;

void refuse_what_does_not_fit(const CostSettings& settings, const ModelConfig& config) {
  if (settings.json && settings.csv) throw UsageError("--json and --csv: one of them");
  if (settings.chunk > 0 && settings.phase == Phase::decode)
    throw UsageError("--chunk cuts a prompt: it goes with --phase prefill");
  if (settings.form_given && !config.has_latent_attention())
    throw std::runtime_error(
        fmt::format("--form is about latent attention, which {} does not have: leave it out", config.name));
  if (!config.unknown_parameters.empty())
    throw std::runtime_error(fmt::format("{} can be sized and not priced: {}", config.name, config.unknown_parameters));
}

std::vector<int64_t> chunks_of(const CostSettings& settings) {
  return settings.chunk > 0 ? std::vector{settings.chunk} : std::vector<int64_t>{};
}

// The phase with the cache or without it, whatever was asked.
Cost total_of(const CostFacts& facts, CacheWork cache, LatentWork form) {
  Setting setting = facts.settings.setting;
  setting.cache = cache;
  setting.form = form;
  const ModelConfig& config = facts.model.config;
  return facts.settings.phase == Phase::decode
             ? decode_step_cost(config, facts.context, setting)
             : prefill_cost(config, facts.context, chunks_of(facts.settings), setting);
}

CostByPart parts_of(const CostFacts& facts) {
  const Setting& setting = facts.settings.setting;
  const std::vector<Call> calls = facts.settings.phase == Phase::decode
                                      ? std::vector{decode_step_call(facts.context, setting)}
                                      : prefill_calls(facts.context, chunks_of(facts.settings), setting);
  CostByPart parts;
  for (const Call& call : calls) parts += call_cost_by_part(facts.model.config, call, setting.storage);
  return parts;
}

void add_assumptions(CostFacts& facts) {
  const ModelConfig& config = facts.model.config;
  facts.assumed = config.assumed;
  if (facts.settings.context == 0)
    facts.assumed.push_back(fmt::format("the context is {} (--context)", count_of(facts.context, "token")));
  else if (facts.context > config.max_context)
    facts.assumed.push_back(fmt::format("{} are more than the {} of the model's context",
                                        count_of(facts.context, "token"), with_commas(config.max_context)));
  if (facts.model.stored_weights_bytes)
    facts.assumed.push_back(fmt::format("all weights are {}, whatever the file has (--weights-dtype)",
                                        facts.settings.setting.storage.weights.name));
  if (config.experts.count > 0)
    facts.assumed.push_back("of experts, the tokens of a call choose different ones as long as there are any");
  if (facts.device && facts.device->flops_per_second.value > 0 &&
      facts.device->flops_per_second.origin != Origin::given)
    facts.assumed.push_back(fmt::format("products of {} weights run at the {} peak",
                                        facts.settings.setting.storage.weights.name, facts.device->peak_dtype));
}

}  // namespace

std::string_view name_of(Phase phase) { return phase == Phase::prefill ? "prefill" : "decode"; }

std::string_view name_of(LatentWork form) {
  switch (form) {
    case LatentWork::absorbed: return "absorbed";
    case LatentWork::materialised: return "materialised";
    case LatentWork::expanded: return "expanded";
  }
  return "?";
}

CostFacts cost_facts(const CostSettings& settings) {
  CostFacts facts;
  facts.settings = settings;
  facts.model = describe_model(settings.model);
  const ModelConfig& config = facts.model.config;
  refuse_what_does_not_fit(settings, config);
  facts.context = settings.context > 0 ? settings.context : std::min(kDefaultContext, config.max_context);
  Progress progress("adding up the calls");  // a long prompt in short chunks is many
  facts.parts = parts_of(facts);
  facts.total = facts.parts.total();
  const LatentWork form = settings.setting.form;
  facts.with_cache = total_of(facts, CacheWork::on, form);
  facts.without_cache = total_of(facts, CacheWork::off, form);
  if (config.has_latent_attention() && form == LatentWork::absorbed)
    facts.without_cache_materialised = total_of(facts, CacheWork::off, LatentWork::materialised);
  progress.finish();
  facts.cache_outweighs_weights_at = context_where_cache_outweighs_weights(config, settings.setting);
  facts.absorb_below = queries_that_should_absorb(config, facts.context);
  if (settings.device.any())
    facts.device = served_device(settings.device, settings.setting.storage.weights, Speed::needed);
  add_assumptions(facts);
  return facts;
}

}  // namespace kv::cli
