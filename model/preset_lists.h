// The presets, in lists of some size.
#pragma once

#include <array>
#include <span>

#include "model/presets.h"

namespace kv {

inline constexpr std::string_view kExactCopy = "A: the sizes are those of an exact copy of the hub's config";
inline constexpr std::string_view kTable = "B: the sizes are from another project's table, or documented defaults";

std::span<const Preset> llama_presets();    // model_type llama
std::span<const Preset> qwen_presets();     // Qwen2.5, Qwen3, Qwen3.5
std::span<const Preset> window_presets();   // models with a window in some layers, and their kin
std::span<const Preset> latent_presets();   // multi-head latent attention
std::span<const Preset> earlier_presets();  // before keys and values were shared, or just then

}  // namespace kv
