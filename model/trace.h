// The trace of a run: named tensors and exact counters of each step. Tests compare it, lessons quote it, the viewer
// draws it.
//
// Counters are counted, never predicted: each operation adds what its own loops did. Conventions:
//   matmul_flops         2 for each multiply-add of projections, head, scores and weighted sum: what publications count
//   other_flops          the constants below, and 1 for each bias or residual addition
//   weight_bytes         each tensor once per call, as stored; of the embedding only the rows that were fetched
//   cache_bytes_read     each stored value that attention looked at, once per call (not once per query or head)
//   cache_bytes_written  each stored value that the call appended
//   kv_projections       tokens whose stored row (K and V, or latent and rope key) was computed from the hidden state
//   score_pairs          (query position, key position) pairs that attention scored, not multiplied by heads
// Padding, masked lanes and the rescaling between splits are not counted. Without a cache there are no cache bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/shape.h"

namespace kv {

inline constexpr uint64_t kSoftmaxFlopsPerScore = 5;  // scale, maximum, subtract, exp, sum
inline constexpr uint64_t kRopeFlopsPerValue = 3;     // two products and an addition
inline constexpr uint64_t kNormFlopsPerValue = 4;     // square, sum, scale, gain
inline constexpr uint64_t kSwigluFlopsPerValue = 5;   // exp, add, divide, and two products

struct Counters {
  uint64_t matmul_flops = 0;
  uint64_t other_flops = 0;
  uint64_t weight_bytes = 0;
  uint64_t cache_bytes_read = 0;
  uint64_t cache_bytes_written = 0;
  uint64_t kv_projections = 0;
  uint64_t score_pairs = 0;

  uint64_t flops() const { return matmul_flops + other_flops; }
  Counters& operator+=(const Counters& other);
  Counters& operator-=(const Counters& other);  // what came since `other` was taken
  bool operator==(const Counters&) const = default;
};

// One named tensor. Values are widened to double, which holds f32 and f64 exactly.
struct TracedTensor {
  std::string name;  // "layer.3.queries"
  Shape shape;
  std::vector<double> values;
};

// The tensors of a call, in the order in which they are made:
//   embedding                              [tokens, model_dim]
//   layer.N.attention_norm                 [tokens, model_dim]
//   layer.N.queries, keys, values          [tokens, heads or kv_heads, head_dim], rotated; or with latent attention
//   layer.N.queries, latents, rope_keys    [tokens, heads, head_dim], [tokens, latent_dim], [tokens, rope_dim]
//   layer.N.attended                       [tokens, heads * value_head_dim]
//   layer.N.attention                      [tokens, model_dim], after the output projection
//   layer.N.gated                          [tokens, hidden_dim]
//   layer.N.feed_forward, output           [tokens, model_dim], before and after the residual addition
//   final_norm, logits                     [rows, model_dim], [rows, vocab]; rows as asked for
// and only when it is asked for by name, since it costs a second scan and grows with the square of the context:
//   layer.N.attention_weights              [tokens, heads, positions], behind queries, keys and values
// Keys, values and latents are shown as computed, before they are rounded to the cache's type.

// What one call of prefill, decode_step or forward_without_cache did.
struct TracedCall {
  int64_t first_position = 0;
  int64_t tokens = 0;
  std::vector<Counters> layers;  // [layers]
  Counters ends;                 // embedding, final norm and head
  std::vector<TracedTensor> tensors;

  Counters total() const;
};

class Trace {
 public:
  enum class Keep { counters, counters_and_tensors };
  explicit Trace(Keep keep = Keep::counters) : keep_(keep) {}
  // Counters, and of the tensors those with these names, of every layer: {"queries"}, say.
  explicit Trace(std::vector<std::string> names) : names_(std::move(names)) {}

  // Whether a tensor of this name, without its layer, is kept.
  bool keeps(std::string_view name) const;
  void begin_call(int64_t first_position, int64_t tokens, int64_t layers);
  TracedCall& current() { return calls_.back(); }

  const std::vector<TracedCall>& calls() const { return calls_; }
  // The first tensor of this name in the given call; throws std::out_of_range with the name.
  const TracedTensor& tensor(size_t call, const std::string& name) const;
  Counters total() const;

 private:
  Keep keep_ = Keep::counters;
  std::vector<std::string> names_;
  std::vector<TracedCall> calls_;
};

}  // namespace kv
