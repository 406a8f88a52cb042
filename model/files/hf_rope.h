// The rotary embedding of a Hugging Face config: `rope_parameters` in newer files, `rope_theta` and `rope_scaling` in
// older ones.
#pragma once

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

// Fills config.rope but for the pairing; the head sizes have to be known. A scaling that we do not compute, and keys
// whose effect we do not know, end in config.cannot_run; throws FormatError for values that make no sense.
void read_hf_rope(HfFields& fields, ModelConfig& config);

}  // namespace kv
