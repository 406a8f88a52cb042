// load_lanes: from what a reader asks for to models, prompts and labels.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "model/error.h"
#include "model/files/json.h"
#include "model/prompt.h"
#include "viewer/session/lane_facts.h"

namespace kv::viewer {

namespace {

// How the query heads share keys and values.
std::string kind_of_attention(const ModelConfig& config) {
  if (config.has_latent_attention()) return "MLA";
  if (config.kv_heads == config.heads) return "MHA";
  return config.kv_heads == 1 ? "MQA" : "GQA";
}

// Where lanes of one kind are different models, their names tell them apart; the same model again is numbered.
void label(std::vector<LaneFacts>& lanes) {
  std::vector<std::string> kinds;
  for (const LaneFacts& lane : lanes) kinds.push_back(kind_of_attention(lane.config()));
  for (size_t i = 0; i < lanes.size(); ++i) {
    bool one_model = true;
    for (size_t k = 0; k < lanes.size(); ++k)
      one_model = one_model && (kinds[k] != kinds[i] || lanes[k].name == lanes[i].name);
    lanes[i].label = one_model ? kinds[i] : lanes[i].name;
  }
  std::map<std::string, int> times;
  for (LaneFacts& lane : lanes)
    if (const int time = ++times[lane.label]; time > 1) lane.label += fmt::format(" {}", time);
}

// As measured when the model was trained; nothing where nobody did.
std::optional<double> held_out_beside(const LoadedModel& model) {
  const std::filesystem::path file = model.folder / "held_out.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  return JsonValue::read(file).at("bits_per_byte").number();
}

std::vector<int32_t> excluded_of(const LoadedModel& model) {
  std::vector<int32_t> excluded;
  if (model.tokenizer) excluded = ids_without_token(*model.tokenizer, model.config.vocab);
  for (const int64_t end : model.config.end_tokens) excluded.push_back(static_cast<int32_t>(end));
  return excluded;
}

LaneFacts load_lane(const ModelChoice& choice, const SessionSettings& settings) {
  LaneFacts lane;
  lane.name = choice.name;
  lane.path = std::filesystem::absolute(choice.path).lexically_normal();
  lane.model = std::make_shared<const LoadedModel>(load_model(choice.path));
  lane.held_out_bits_per_byte = held_out_beside(*lane.model);
  lane.excluded = excluded_of(*lane.model);
  lane.cache_dtype = settings.cache_dtype;
  lane.capacity = std::min(settings.capacity, lane.config().max_context);
  lane.prompt = prompt_of(*lane.model, settings.prompt);
  return lane;
}

}  // namespace

std::vector<int32_t> prompt_of(const LoadedModel& model, const std::string& text) {
  if (model.tokenizer) return tokens_of_prompt(model, text, Specials::ignore);
  std::vector<int32_t> ids;
  try {
    ids = parse_token_ids(text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{} ({})", error.what(), model.no_tokenizer));
  }
  if (ids.empty())
    throw std::runtime_error(
        fmt::format("the prompt is empty: {} has no tokenizer, give token ids such as 0,17,4", model.config.name));
  for (const int32_t id : ids)
    if (id < 0 || id >= model.config.vocab)
      throw std::runtime_error(
          fmt::format("token id {} is outside {}'s vocabulary of {}", id, model.config.name, model.config.vocab));
  return ids;
}

std::vector<std::shared_ptr<const LaneFacts>> load_lanes(const SessionSettings& settings) {
  std::vector<LaneFacts> lanes;
  for (const ModelChoice& choice : settings.models) {
    try {
      lanes.push_back(load_lane(choice, settings));
    } catch (const std::exception& error) {
      // Most messages name the file; all of them name the model.
      const std::string what = error.what();
      if (what.find(choice.name) != std::string::npos) throw;
      throw FormatError(choice.name, what);
    }
  }
  label(lanes);
  std::vector<std::shared_ptr<const LaneFacts>> shared;
  for (LaneFacts& lane : lanes) shared.push_back(std::make_shared<const LaneFacts>(std::move(lane)));
  return shared;
}

ModelChoice model_of_path(const std::filesystem::path& path) {
  const std::filesystem::path whole = path.filename().empty() ? path.parent_path() : path;
  if (whole.filename() == "config.json") return {whole.parent_path().filename().string(), whole.parent_path()};
  return {whole.stem().string(), whole};
}

}  // namespace kv::viewer
