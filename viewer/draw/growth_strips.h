// The strips of a band, before anything has a place: what a layer stores, or several layers, and how it is merged.
#pragma once

#include <cstdint>
#include <vector>

#include "viewer/draw/growth_layout.h"

namespace kv::viewer {

// K and V of each head, or the latent and its rope key, of `layers` layers from `first_layer` on, without boxes.
// Strips of one layer are as fine as `value_height` (pixels a number) allows: under one pixel the heads of a role
// merge. Several layers are one strip a role, for each run of layers of the same kind.
std::vector<Strip> strips_of(const ModelConfig& config, int64_t first_layer, int64_t layers, double value_height);

// Numbers that these layers store for a token.
int64_t values_of_layers(const ModelConfig& config, int64_t first_layer, int64_t layers);

}  // namespace kv::viewer
