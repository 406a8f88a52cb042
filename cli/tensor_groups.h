// Tensors of a deep model, a line for each kind instead of each layer: names that differ in the layer's number alone,
// and agree in type and shape, are one group.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/inspection.h"

namespace kv::cli {

struct TensorGroup {
  std::string name;  // "model.layers.{0-3}.self_attn.q_proj.weight"
  std::string dtype;
  Shape shape;
  int64_t count = 0;
  int64_t bytes = 0;  // of all of them
};

// In the order of each group's first tensor.
std::vector<TensorGroup> grouped(std::span<const InspectedTensor> tensors);

}  // namespace kv::cli
