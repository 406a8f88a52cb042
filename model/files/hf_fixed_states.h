// Hybrid models: of their layers only some attend and keep keys and values. The others fold the whole sequence into a
// state of a fixed size.
#pragma once

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

// Takes the cache from the layers that do not attend, and gives them their state. Other families are left alone.
void read_hf_fixed_states(HfFields& fields, ModelConfig& config);

}  // namespace kv
