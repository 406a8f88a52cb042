// Which layers of a Hugging Face config see a window of positions only: by layer_types where a file has it, and else by
// the family's rule.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

// The window of each layer; 0: none.
std::vector<int64_t> read_hf_windows(HfFields& fields, const ModelConfig& config);

}  // namespace kv
