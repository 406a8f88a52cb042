#include "model/files/hf_rope.h"

#include <set>

#include "model/files/hf_families.h"
#include "model/files/limits.h"
#include "model/files/printable.h"

namespace kv {

namespace {

double positive(const JsonValue& value) {
  const double number = value.number();
  if (!(number > 0)) value.fail(fmt::format("is {}, expected a number above 0", value.shown()));
  return number;
}

// The object that describes the scaling, under its newer or its older name.
std::optional<JsonValue> scaling_object(HfFields& fields) {
  const auto newer = fields.find("rope_parameters"), older = fields.find("rope_scaling");
  if (newer && older) fields.cannot_run(*older, "stands beside rope_parameters: which of them holds?");
  return newer ? newer : older;
}

std::string scaling_type(HfFields& fields, const JsonValue& rope) {
  const auto newer = rope.find("rope_type"), older = rope.find("type");
  if (newer && older && newer->text() != older->text())
    fields.cannot_run(*older, fmt::format("is {}, but rope_type is {}", older->shown(), newer->shown()));
  if (newer) return newer->text();
  return older ? older->text() : "default";
}

RopeConfig::Scaling scaling_of(HfFields& fields, const JsonValue& rope, const std::string& type) {
  if (type == "default") return RopeConfig::Scaling::none;
  if (type == "linear") return RopeConfig::Scaling::linear;
  if (type == "llama3") return RopeConfig::Scaling::llama3;
  if (type == "yarn") return RopeConfig::Scaling::yarn;
  fields.cannot_run(rope,
                    fmt::format("is of type \"{}\"; kvlab computes default, linear, llama3 and yarn", printable(type)));
  return RopeConfig::Scaling::none;
}

// Keys that this type of scaling does not use would change the computation in a way that we do not know.
void check_keys(HfFields& fields, const JsonValue& rope, RopeConfig::Scaling scaling, const std::string& type) {
  using Scaling = RopeConfig::Scaling;
  std::set<std::string> known = {"rope_type", "type", "rope_theta", "partial_rotary_factor"};
  if (scaling != Scaling::none) known.insert("factor");
  if (scaling == Scaling::llama3)
    known.insert({"low_freq_factor", "high_freq_factor", "original_max_position_embeddings"});
  if (scaling == Scaling::yarn)
    known.insert({"original_max_position_embeddings", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
                  "attention_factor", "truncate", "finetuned"});
  for (const auto& [key, value] : rope.fields())
    if (!known.contains(key) && !value.is_null())
      fields.cannot_run(
          value, fmt::format("is {}; its effect on rope type \"{}\" is not known", value.shown(), printable(type)));
}

// How many positions the model was first trained for: beside the scaling in some files, inside it in most.
int64_t original_context(HfFields& fields, HfFields& rope, int64_t max_context) {
  const HfKey key = "original_max_position_embeddings";
  if (const auto outside = fields.find(key)) return outside->integer(1, kMaxContext);
  return rope.size_or(key, kMaxContext, max_context, "as max_position_embeddings");
}

void read_llama3(RopeConfig& config, const JsonValue& rope) {
  config.low_freq_factor = positive(rope.at("low_freq_factor"));
  config.high_freq_factor = positive(rope.at("high_freq_factor"));
  if (config.high_freq_factor <= config.low_freq_factor)
    rope.at("high_freq_factor")
        .fail(fmt::format("is {}, expected more than low_freq_factor ({})", config.high_freq_factor,
                          config.low_freq_factor));
}

void read_yarn(RopeConfig& config, HfFields& rope) {
  const JsonValue& object = rope.object();
  if (const auto value = object.find("beta_fast")) config.beta_fast = positive(*value);
  if (const auto value = object.find("beta_slow")) config.beta_slow = positive(*value);
  if (const auto value = object.find("mscale")) config.mscale = value->number();
  if (const auto value = object.find("mscale_all_dim")) config.mscale_all_dim = value->number();
  if (const auto value = object.find("attention_factor")) config.attention_factor = positive(*value);
  if (const auto value = object.find("truncate")) config.truncate = value->boolean();
  if (config.mscale < 0) object.at("mscale").fail("is negative");
  if (config.mscale_all_dim < 0) object.at("mscale_all_dim").fail("is negative");
  if (config.theta <= 1) object.fail(fmt::format("of type \"yarn\" needs a rope_theta above 1, not {}", config.theta));
}

double theta_of(HfFields& fields, const std::optional<JsonValue>& object, const ModelConfig& config) {
  const auto inside = object ? object->find("rope_theta") : std::nullopt;
  const HfKey key = config.family == Family::gpt_neox ? HfKey{"rotary_emb_base", "rope_theta"} : "rope_theta";
  const auto found = inside ? inside : fields.find(key);
  if (found) return positive(*found);
  const double otherwise = hf_family(config.family).rope_theta;
  fields.assume(key, fmt::format("{}", otherwise), "");
  return otherwise;
}

// How many values of a head are rotated: all, or the first part of them.
int64_t rotated_dim(HfFields& fields, const std::optional<JsonValue>& object, const ModelConfig& config) {
  const int64_t whole = config.has_latent_attention() ? config.latent.rope_dim : config.key_head_dim;
  const HfKey key =
      config.family == Family::gpt_neox ? HfKey{"rotary_pct", "partial_rotary_factor"} : "partial_rotary_factor";
  const auto inside = object ? object->find("partial_rotary_factor") : std::nullopt, outside = fields.find(key);
  const bool quarter = config.family == Family::gpt_neox || config.family == Family::qwen3_5;
  if (!inside && !outside)
    return quarter ? static_cast<int64_t>(fields.number_or(key, 0.25) * static_cast<double>(whole)) : whole;
  double part = 1;
  for (const auto& found : {inside, outside}) {
    if (!found || found->number() == 1) continue;
    part = found->number();
    if (!(part > 0 && part < 1)) found->fail(fmt::format("is {}, expected a part of 1", found->shown()));
    fields.cannot_run(*found, fmt::format("is {}; kvlab rotates whole heads only", found->shown()));
  }
  return static_cast<int64_t>(part * static_cast<double>(whole));
}

void read_scaling(HfFields& fields, const JsonValue& object, ModelConfig& config) {
  const std::string type = scaling_type(fields, object);
  config.rope.scaling = scaling_of(fields, object, type);
  check_keys(fields, object, config.rope.scaling, type);
  if (config.rope.scaling == RopeConfig::Scaling::none) return;
  HfFields rope = fields.inside(object);
  config.rope.factor = positive(object.at("factor"));
  if (config.rope.scaling == RopeConfig::Scaling::linear) return;
  config.rope.original_context = original_context(fields, rope, config.max_context);
  if (config.rope.scaling == RopeConfig::Scaling::llama3) read_llama3(config.rope, object);
  if (config.rope.scaling == RopeConfig::Scaling::yarn) read_yarn(config.rope, rope);
}

}  // namespace

void read_hf_rope(HfFields& fields, ModelConfig& config) {
  if (hf_family(config.family).rope_theta == 0) return;
  std::optional<JsonValue> object = scaling_object(fields);
  // Newer Gemma files describe each kind of layer by itself; the layers that see everything stand for the model.
  if (config.family == Family::gemma3 && object)
    if (const auto full = object->find("full_attention")) object = full;
  config.rope.theta = theta_of(fields, object, config);
  config.rope.dim = rotated_dim(fields, object, config);
  if (object) read_scaling(fields, *object, config);
}

}  // namespace kv
