// Mixtures of experts in a Hugging Face config: how many, how large, and in which layers.
#pragma once

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

// Fills experts, and layer_sizes when some layers are dense. A family without experts is left alone.
void read_hf_experts(HfFields& fields, ModelConfig& config);

}  // namespace kv
