// What `kvlab size` found, for programs.
#include "cli/cache_facts.h"
#include "cli/csv.h"
#include "cli/json_output.h"
#include "cli/size_facts.h"

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json document(const SizeFacts& facts) {
  const ModelConfig& config = facts.model.config;
  const SizeSettings& settings = facts.settings;
  Json json;
  json["model"] = config.name;
  json["origin"] = facts.model.origin;
  json["attention"] = attention_kind(config);
  json["layers"] = config.layers;
  json["tokens"] = facts.tokens;
  json["batch"] = settings.batch;
  json["dtype"] = settings.cache.name;
  json["kv_bytes_per_token"] = facts.token_bytes;
  if (!facts.whole()) {
    json["tensor_parallel"] = settings.ranks;
    json["kv_bytes_per_rank"] = facts.rank_cache_bytes;
    json["kv_bytes_per_token_per_rank"] = facts.rank_token_bytes;
  }
  json["kv_bytes_per_token_past_window"] = facts.past_window_bytes;
  json["kv_bytes"] = facts.cache_bytes;
  json["state_bytes"] = facts.state_bytes;
  json["weights_dtype"] = facts.weights_format();
  json["weights_bytes"] = or_null(facts.weights_bytes);
  json["parameters"] = or_null(facts.parameters);
  json["active_parameters"] = or_null(facts.active_parameters);
  json["policy"] = "logical";
  json["kind"] = "predicted";
  json["formula"] = cache_formula(config, facts.tokens, settings.batch, settings.cache);
  if (facts.fit) {
    const Fit& fit = *facts.fit;
    json["device"] = fit.device.name;
    json["memory_bytes"] = fit.device.memory_bytes.value;
    json["memory_kind"] = name_of(fit.device.memory_bytes.origin);
    json["memory_source"] = fit.device.memory_bytes.source;
    json["reserve_bytes"] = settings.reserve_bytes;
    json["room_bytes"] = or_null(fit.room_bytes);
    json["free_bytes"] = or_null(fit.free_bytes);
    json["max_concurrent"] = or_null(fit.most_requests);
    json["max_tokens"] = or_null(fit.longest);
    json["next_request_stops_at"] = or_null(fit.next_stops_at);
  }
  json["cannot_run"] = config.cannot_run.empty() ? Json(nullptr) : Json(config.cannot_run);
  json["unknown_parameters"] = config.unknown_parameters.empty() ? Json(nullptr) : Json(config.unknown_parameters);
  json["assumed"] = facts.assumed;
  return json;
}

}  // namespace

std::string size_json(const SizeFacts& facts) { return document_text(document(facts)) + "\n"; }

// One row: the scalars of the document, under its keys.
std::string size_csv(const SizeFacts& facts) {
  const Json json = document(facts);
  std::vector<std::string> head, row;
  for (const auto& item : json.items()) {
    if (item.value().is_structured()) continue;
    head.push_back(item.key());
    row.push_back(item.value().is_string() ? item.value().get<std::string>()
                  : item.value().is_null() ? ""
                                           : compact_text(item.value()));
  }
  return csv_line(head) + csv_line(row);
}

}  // namespace kv::cli
