#include "model/files/hf_rope.h"

#include <set>

#include "model/files/printable.h"

namespace kv {

namespace {

constexpr int64_t kMaxContext = 1 << 26;

double positive(const JsonValue& value) {
  const double number = value.number();
  if (!(number > 0)) value.fail(fmt::format("is {}, expected a number above 0", value.shown()));
  return number;
}

// The object that describes the scaling, under its newer or its older name.
std::optional<JsonValue> scaling_object(const JsonValue& config) {
  const auto newer = config.find("rope_parameters"), older = config.find("rope_scaling");
  if (newer && older) older->fail("stands beside rope_parameters: which of them holds?");
  return newer ? newer : older;
}

std::string scaling_type(const JsonValue& rope) {
  const auto newer = rope.find("rope_type"), older = rope.find("type");
  if (newer && older && newer->text() != older->text())
    older->fail(fmt::format("is {}, but rope_type is {}", older->shown(), newer->shown()));
  if (newer) return newer->text();
  return older ? older->text() : "default";
}

RopeConfig::Scaling scaling_of(const JsonValue& rope, const std::string& type) {
  if (type == "default") return RopeConfig::Scaling::none;
  if (type == "linear") return RopeConfig::Scaling::linear;
  if (type == "llama3") return RopeConfig::Scaling::llama3;
  if (type == "yarn") return RopeConfig::Scaling::yarn;
  rope.fail(fmt::format("is of type \"{}\"; kvlab computes default, linear, llama3 and yarn", printable(type)));
}

// Refuses keys that this type of scaling does not use: they would change the computation in a way that we do not know.
void check_keys(const JsonValue& rope, RopeConfig::Scaling scaling, const std::string& type) {
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
      value.fail(fmt::format("is {}; its effect on rope type \"{}\" is not known", value.shown(), type));
}

// How many positions the model was first trained for: beside the scaling in some files, inside it in most.
int64_t original_context(HfFields& fields, HfFields& rope, int64_t max_context) {
  const std::string key = "original_max_position_embeddings";
  if (const auto outside = fields.object().find(key)) return outside->integer(1, kMaxContext);
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

}  // namespace

RopeConfig read_hf_rope(HfFields& fields, int64_t max_context) {
  RopeConfig config;
  const JsonValue& model = fields.object();
  const std::optional<JsonValue> object = scaling_object(model);

  if (object && object->find("rope_theta"))
    config.theta = positive(object->at("rope_theta"));
  else if (const auto theta = model.find("rope_theta"))
    config.theta = positive(*theta);
  else
    fields.assume("rope_theta", "10000", "");

  for (const auto& holder : {std::optional(model), object})
    if (const auto part = holder ? holder->find("partial_rotary_factor") : std::nullopt; part && part->number() != 1)
      part->fail(fmt::format("is {}; kvlab rotates whole heads only", part->shown()));

  if (!object) return config;
  const std::string type = scaling_type(*object);
  config.scaling = scaling_of(*object, type);
  check_keys(*object, config.scaling, type);
  if (config.scaling == RopeConfig::Scaling::none) return config;

  std::vector<std::string>& assumed = fields.assumed();
  HfFields rope(*object, assumed);
  config.factor = positive(object->at("factor"));
  if (config.scaling == RopeConfig::Scaling::linear) return config;
  config.original_context = original_context(fields, rope, max_context);
  if (config.scaling == RopeConfig::Scaling::llama3) read_llama3(config, *object);
  if (config.scaling == RopeConfig::Scaling::yarn) read_yarn(config, rope);
  return config;
}

}  // namespace kv
