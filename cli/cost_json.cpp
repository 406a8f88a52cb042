// What `kvlab cost` found, for programs.
#include "cli/cache_facts.h"
#include "cli/cost_facts.h"
#include "cli/csv.h"
#include "cli/json_output.h"

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json json_of_cost(const Cost& cost) {
  Json json = json_of(as_counters(cost));
  json["activation_bytes"] = cost.activation_bytes;
  return json;
}

void add_device(Json& json, const CostFacts& facts) {
  const ServedDevice& device = *facts.device;
  const Prediction prediction = facts.prediction();
  json["device"] = device.name;
  json["bytes_per_second"] = known(device.bytes_per_second.value);
  json["bytes_per_second_kind"] = name_of(device.bytes_per_second.origin);
  json["bytes_per_second_source"] = device.bytes_per_second.source;
  json["flops_per_second"] = known(device.flops_per_second.value);
  json["flops_per_second_kind"] = name_of(device.flops_per_second.origin);
  json["flops_per_second_source"] = device.flops_per_second.source;
  json["peak_dtype"] = device.peak_dtype.empty() ? Json(nullptr) : Json(device.peak_dtype);
  json["ridge"] = known(device.speeds().ridge());
  json["memory_seconds"] = known(prediction.memory_seconds);
  json["compute_seconds"] = known(prediction.compute_seconds);
  json["seconds"] = known(prediction.seconds());
  const auto bound = prediction.bound();
  json["bound"] = bound ? Json(*bound == BoundBy::memory ? "memory" : "compute") : Json(nullptr);
}

Json document(const CostFacts& facts) {
  const ModelConfig& config = facts.model.config;
  const CostSettings& s = facts.settings;
  Json json;
  json["model"] = config.name;
  json["origin"] = facts.model.origin;
  json["attention"] = attention_kind(config);
  json["phase"] = name_of(s.phase);
  json["context"] = facts.context;
  json["chunk"] = s.chunk > 0 ? Json(s.chunk) : Json(nullptr);
  json["batch"] = s.setting.batch;
  json["cache"] = s.setting.cache == CacheWork::on ? "on" : "off";
  json["form"] = config.has_latent_attention() ? Json(name_of(s.setting.form)) : Json(nullptr);
  json["dtype"] = s.setting.storage.cache.name;
  json["weights_dtype"] = s.setting.storage.weights.name;
  json["kind"] = "predicted";
  json["flops"] = facts.total.flops();
  json.update(json_of_cost(facts.total));
  json["memory_bytes"] = facts.total.memory_bytes();
  json["intensity"] = intensity(facts.total);
  json["operations"] = Json::array();
  for (const Part part : facts.parts.occurring()) {
    Json row = {{"operation", name_of(part)}};
    row.update(json_of_cost(facts.parts[part]));
    json["operations"].push_back(row);
  }
  json["with_cache"] = json_of_cost(facts.with_cache);
  json["without_cache"] = json_of_cost(facts.without_cache);
  if (facts.without_cache_materialised)
    json["without_cache_materialised"] = json_of_cost(*facts.without_cache_materialised);
  json["ratio"] = ratio_of(facts.without_cache.matmul_flops, facts.with_cache.matmul_flops);
  json["cache_outweighs_weights_at"] = or_null(facts.cache_outweighs_weights_at);
  json["absorb_below_queries"] = or_null(facts.absorb_below);
  if (facts.device) add_device(json, facts);
  json["cannot_run"] = config.cannot_run.empty() ? Json(nullptr) : Json(config.cannot_run);
  json["assumed"] = facts.assumed;
  return json;
}

}  // namespace

std::string cost_json(const CostFacts& facts) { return document_text(document(facts)) + "\n"; }

// One row for each operation, and one of their sum.
std::string cost_csv(const CostFacts& facts) {
  std::string text = csv_line({"operation", "matmul_flops", "other_flops", "weight_bytes", "cache_bytes_read",
                               "cache_bytes_written", "activation_bytes"});
  const auto add = [&](std::string_view name, const Cost& cost) {
    text += csv_line({std::string(name), std::to_string(cost.matmul_flops), std::to_string(cost.other_flops),
                      std::to_string(cost.weight_bytes), std::to_string(cost.cache_bytes_read),
                      std::to_string(cost.cache_bytes_written), std::to_string(cost.activation_bytes)});
  };
  for (const Part part : facts.parts.occurring()) add(name_of(part), facts.parts[part]);
  add("sum", facts.total);
  return text;
}

}  // namespace kv::cli
