// Roofline: how long a work must take at least, and what holds it up, on a device of which two numbers are known.
//
// A work moves bytes and does FLOPs, at best both at once: no less time than bytes / bandwidth, nor than FLOPs / peak
// (Williams, Waterman and Patterson, "Roofline", CACM 2009). Bytes are weights and cache, read and written once;
// FLOPs are those of matrix products, since peaks are theirs. Activations are taken to stay in the caches of the
// processor, and starting an operation to cost nothing: real times are longer.
#pragma once

#include <cstdint>
#include <optional>

#include "model/cost.h"
#include "model/work.h"

namespace kv {

// 0: not known.
struct Speeds {
  double bytes_per_second = 0;
  double flops_per_second = 0;

  // FLOPs a byte above which the peak is what holds a work up. 0: not known.
  double ridge() const;
};

// FLOPs of matrix products a byte of weights and cache.
double intensity(const Cost& cost);

enum class BoundBy { memory, compute };

struct Prediction {
  double memory_seconds = 0;   // bytes / bandwidth; 0: not known
  double compute_seconds = 0;  // FLOPs / peak; 0: not known
  double seconds() const;      // the longer
  // Nothing unless both are known.
  std::optional<BoundBy> bound() const;
};
Prediction predict(const Cost& cost, const Speeds& speeds);

// The first context at which a decode step reads at least as many bytes of cache as of weights. Nothing: never
// (windows, or no cache).
std::optional<int64_t> context_where_cache_outweighs_weights(const ModelConfig& config, const Setting& setting);

// Latent attention: the number of queries in a call, against S stored latents, below which absorbing takes fewer FLOPs
// than rebuilding K and V. Set equal, for each head, with T queries:
//   absorbed      2 T c (n + v) + 2 T S (2 c + r)        c latent_dim, n nope_dim, r rope_dim, v value_head_dim
//   materialised  2 S c (n + v) + 2 T S (n + r + v)
//   T = c (n + v) S / (c (n + v) + (2 c - n - v) S)
// which does not depend on the number of heads and tends to c (n + v) / (2 c - n - v). That a query sees fewer latents
// than the last of its call is left out. Nothing: without latent attention, or when absorbing always takes fewer.
std::optional<double> queries_that_should_absorb(const ModelConfig& config, int64_t context);

}  // namespace kv
