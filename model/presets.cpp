#include "model/presets.h"

#include <algorithm>
#include <cctype>

#include "model/files/hf_config.h"
#include "model/nearest.h"
#include "model/preset_lists.h"

namespace kv {

namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

// What a preset may be called by, in small letters.
std::vector<std::string> names_of(const Preset& preset) {
  return {std::string(preset.name), in_small_letters(preset.id),
          in_small_letters(preset.id.substr(preset.id.find('/') + 1))};
}

template <class Matches>
std::vector<const Preset*> presets_with(const Matches& matches) {
  std::vector<const Preset*> list;
  for (const Preset& preset : presets()) {
    const std::vector<std::string> names = names_of(preset);
    if (std::any_of(names.begin(), names.end(), matches)) list.push_back(&preset);
  }
  return list;
}

std::vector<const Preset*> presets_beginning_with(const std::string& text) {
  if (text.empty()) return {};
  return presets_with([&](const std::string& name) { return name.starts_with(text); });
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const auto& part : {llama_presets(), qwen_presets(), window_presets(), latent_presets(), earlier_presets()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

const Preset* find_preset(std::string_view text) {
  const std::string small = in_small_letters(text);
  const auto exact = presets_with([&](const std::string& name) { return name == small; });
  if (!exact.empty()) return exact.front();
  const auto beginning = presets_beginning_with(small);
  return beginning.size() == 1 ? beginning.front() : nullptr;
}

std::vector<std::string> similar_presets(std::string_view text) {
  const std::string small = in_small_letters(text);
  std::vector<std::string> similar;
  for (const Preset* preset : presets_beginning_with(small)) similar.emplace_back(preset->name);
  if (!similar.empty()) return similar;
  std::vector<std::string> known;
  for (const Preset& preset : presets()) known.emplace_back(preset.name);
  return nearest(small.substr(small.find('/') + 1), known);
}

ModelConfig config_of(const Preset& preset) { return parse_hf_config(std::string(preset.name), preset.config_json); }

}  // namespace kv
