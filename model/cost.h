// Cost: what each operation of a model takes, predicted from shapes alone. Nothing here runs; the CPU reference counts
// what it does (model/trace.h), and tests demand that both agree to the FLOP and to the byte.
//
// One function for each operation, each with its formula. Conventions:
//   matmul_flops         2 for each multiply-add of projections, head, scores and weighted sum: what publications count
//   other_flops          softmax, rotation, norms, activation (the constants of model/trace.h), and 1 for each bias or
//                        residual addition. Online rescaling, padding and masked lanes are not counted
//   weight_bytes         each tensor once per call, as stored; of the embedding only the rows that are fetched; of
//   experts
//                        at most those that the call's tokens can choose
//   cache_bytes_read     each stored value that attention looks at, once per call: K and V of every position between
//   the
//                        first that the first row sees and the last; without a cache none
//   cache_bytes_written  each stored value that the call appends
//   kv_projections       (token, layer) pairs whose stored row is computed from the hidden state
//   score_pairs          (query position, key position) pairs of each layer, not multiplied by heads
//   activation_bytes     what operations hand to each other: each one's inputs read and outputs written, once, as
//   computed
// Sources: the formulas are the shapes of the products; arXiv 2405.04434 section 2.1 for latent attention.
#pragma once

#include <cstdint>

#include "model/config.h"
#include "model/number_format.h"
#include "model/trace.h"

namespace kv {

struct Cost {
  int64_t matmul_flops = 0;
  int64_t other_flops = 0;
  int64_t weight_bytes = 0;
  int64_t cache_bytes_read = 0;
  int64_t cache_bytes_written = 0;
  int64_t kv_projections = 0;
  int64_t score_pairs = 0;
  int64_t activation_bytes = 0;

  int64_t flops() const;
  // Weights and cache: what has to come from memory however large the caches of a processor are.
  int64_t memory_bytes() const;
  Cost& operator+=(const Cost& other);  // throws std::overflow_error
  bool operator==(const Cost&) const = default;
};
Cost operator+(Cost a, const Cost& b);
// What a run would count, were it to do this.
Counters as_counters(const Cost& cost);

// How latent attention (MLA) gets at its keys and values.
enum class LatentWork {
  absorbed,      // queries are turned into the latent space, all heads attend to the stored latents
  materialised,  // K and V of every head are rebuilt from the stored latents of all positions, in every call
  expanded,      // K and V of every head are stored instead of the latents
};
enum class CacheWork { on, off };  // off: every call computes all positions again

// Three types that are never mixed up.
struct Storage {
  NumberFormat weights = Dtype::bf16;
  NumberFormat cache = Dtype::bf16;
  NumberFormat compute = Dtype::f32;
};

// One call: `tokens` new positions of each of `batch` sequences, behind `past` positions that are stored.
struct Call {
  int64_t past = 0;
  int64_t tokens = 1;
  int64_t logit_rows = 1;  // of each sequence, that the head runs on
  int64_t batch = 1;
  CacheWork cache = CacheWork::on;
  LatentWork form = LatentWork::absorbed;

  int64_t rows() const;  // tokens of all sequences
};

// --- Operations. `rows` are tokens of all sequences. ---

// A token's row of the table; learned positions are a second row.
Cost embedding_cost(const ModelConfig& config, int64_t rows, const Storage& storage);
// y = W x + b, W [out, in]: 2 in out FLOPs a row.
Cost projection_cost(int64_t rows, int64_t in, int64_t out, bool bias, const Storage& storage);
// RMS norm over `dim` values, `each` times a row (once, or for every head), with one gain.
Cost norm_cost(int64_t rows, int64_t each, int64_t dim, bool bias, const Storage& storage);
// `heads` vectors of `dim` values turned.
Cost rope_cost(int64_t rows, int64_t heads, int64_t dim, const Storage& storage);
Cost residual_cost(int64_t rows, int64_t dim, const Storage& storage);

// Scores, softmax and weighted sum over K and V: 2 (key_dim + value_dim) FLOPs for each query head and
// (query, key) pair. Reads the cache where there is one.
struct AttentionWork {
  int64_t heads = 0;  // query heads
  int64_t key_dim = 0;
  int64_t value_dim = 0;
  int64_t window = 0;     // a row sees this many positions; 0: all
  int64_t row_bytes = 0;  // stored for a position that is read, all KV heads; 0: nothing is read
  bool sinks = false;
};
Cost attention_cost(const Call& call, const AttentionWork& work, const Storage& storage);

// Gate, up and down with SwiGLU, or up and down, or a router and the experts that a token runs.
Cost feed_forward_cost(const ModelConfig& config, int64_t layer, int64_t rows, const Storage& storage);
// The output head, on the rows that are asked for; a tied one costs the same.
Cost head_cost(const ModelConfig& config, int64_t rows, const Storage& storage);

}  // namespace kv
