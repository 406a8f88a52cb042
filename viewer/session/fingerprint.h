// fingerprint: whether two models are the same, to the bit: every number of the config that the forward pass depends on
// and every stored weight.
#pragma once

#include <cstdint>

#include "model/files/load_model.h"

namespace kv::viewer {

// FNV-1a, 64 bits. It tells a changed file from the same one; it does not withstand somebody who wants to deceive.
uint64_t fingerprint(const LoadedModel& model);

}  // namespace kv::viewer
