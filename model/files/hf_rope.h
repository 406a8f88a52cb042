// The rotary embedding of a Hugging Face config: `rope_parameters` in newer files, `rope_theta` and `rope_scaling` in
// older ones.
#pragma once

#include <cstdint>

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

// Everything but dim and pairing, which the family decides. Throws FormatError for a scaling that we do not compute,
// and for keys whose effect we do not know.
RopeConfig read_hf_rope(HfFields& fields, int64_t max_context);

}  // namespace kv
