// The cost of a call: the operations of model/cost.h in the order in which a model runs them, kept apart by part, as
// people look at it: where the FLOPs go, and where the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/cost.h"

namespace kv {

enum class Part {
  embedding,
  projections,        // queries, keys and values
  down_projections,   // latent attention: of queries, and of keys and values with the rope key
  up_projections,     // latent attention: from the latents of both; of queries alone where they have no latent
  rotation,           // of queries and keys
  attention,          // scores, softmax and weighted sum, and what is stored for later
  output_projection,  // of attention
  feed_forward,
  experts,  // with the router and the network that every token runs
  norms,    // all of them, and the residual additions
  head,
};
inline constexpr size_t kParts = 11;
std::string_view name_of(Part part);

struct CostByPart {
  std::array<Cost, kParts> parts;

  Cost& operator[](Part part) { return parts[static_cast<size_t>(part)]; }
  const Cost& operator[](Part part) const { return parts[static_cast<size_t>(part)]; }
  CostByPart& operator+=(const CostByPart& other);
  Cost total() const;
  std::vector<Part> occurring() const;  // that cost anything
};

// One layer: norms, attention, feed-forward, residual additions. Throws std::invalid_argument for a layer without
// attention, whose state kvlab sizes and whose work it does not know.
CostByPart layer_cost_by_part(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage);
// Embedding, final norm and head.
CostByPart ends_cost_by_part(const ModelConfig& config, const Call& call, const Storage& storage);
// Both, for all layers.
CostByPart call_cost_by_part(const ModelConfig& config, const Call& call, const Storage& storage);

// Their totals.
Cost layer_cost(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage);
Cost ends_cost(const ModelConfig& config, const Call& call, const Storage& storage);
Cost call_cost(const ModelConfig& config, const Call& call, const Storage& storage);

}  // namespace kv
