// Of what the layers of a Hugging Face config are made beside attention and experts: biases, norms, gates, and a table
// of positions.
#pragma once

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

void read_hf_parts(HfFields& fields, ModelConfig& config);

}  // namespace kv
