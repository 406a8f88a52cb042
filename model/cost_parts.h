// The cost of a call, part by part, as people look at it: where the FLOPs go, and where the bytes. The parts add up to
// call_cost (model/cost.h), exactly.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/cost.h"
#include "model/work.h"

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
CostByPart call_cost_by_part(const ModelConfig& config, const Call& call, const Storage& storage);

// The calls of a decode step and of a prefill, as model/work.h makes them.
std::vector<Call> decode_step_calls(int64_t context, const Setting& setting);
std::vector<Call> prefill_calls(int64_t tokens, std::span<const int64_t> chunks, const Setting& setting);

}  // namespace kv
