// KvStore: the keys and values of one lane, by position, and the queries of its steps.
//
// It is the very KvCache that the model runs on, laid out without windows: attention walks positions, so a model with a
// window computes the same bits from it as from its ring (tests demand that), and no old row is ever overwritten. All
// memory is reserved for the whole capacity at the start. Rows below a LaneView's length never change while it is
// valid, so a reader needs no lock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cpu_reference/kv_cache.h"
#include "model/config.h"
#include "viewer/session/role.h"

namespace kv::viewer {

class KvStore {
 public:
  KvStore(const ModelConfig& config, int64_t capacity, Dtype dtype);

  // --- For readers ---
  const ModelConfig& config() const { return config_; }
  Dtype dtype() const { return cache_.dtype(); }
  int64_t capacity() const { return cache_.capacity(); }
  // As attention reads them, by position. Layers that share take their source's.
  cpu::StoredRows keys(int64_t layer) const { return cache_.keys(layer); }
  cpu::StoredRows values(int64_t layer) const { return cache_.values(layer); }
  cpu::StoredRows latents(int64_t layer) const { return cache_.latents(layer); }

  // The roles of what a layer itself stores, in the order in which they are drawn: {key, value}, {latent, rope_key}, or
  // none: a layer without a cache, or one that reads another's.
  std::vector<Role> roles(int64_t layer) const;
  int64_t heads(int64_t layer, Role role) const;  // vectors of a token: KV heads, or 1
  int64_t dim(int64_t layer, Role role) const;    // values of one vector
  // The stored numbers, widened: [last - first, dim], a row a position, and of one position [dim]. Throw
  // std::out_of_range.
  cpu::Matrix<float> vectors(int64_t layer, Role role, int64_t head, int64_t first, int64_t last) const;
  std::vector<float> vector(int64_t layer, Role role, int64_t head, int64_t position) const;
  // Roots of the mean squares of these vectors, by position: [capacity], of which those that are stored count; and of
  // one position.
  std::span<const float> rms(int64_t layer, Role role, int64_t head) const;
  float rms(int64_t layer, Role role, int64_t head, int64_t position) const;
  // The largest of them among all heads and the first `length` positions; 0 for none.
  float largest_rms(int64_t layer, Role role, int64_t length) const;

  // Rotated queries of the last row of the call that stored `position` last: [heads * key_head_dim], empty when no call
  // ended there.
  std::span<const float> queries(int64_t layer, int64_t position) const;

  // --- For the recorder ---
  cpu::KvCache& cache() { return cache_; }
  // After a call: notes the RMS of the new rows, and of its last row the queries, [layers][heads * key_head_dim]; none
  // of a piece of the prompt that is not its last.
  void note_call(int64_t first_position, int64_t tokens, const std::vector<std::vector<float>>& queries);
  void truncate(int64_t length);

 private:
  // The RMS of one role of one layer, for every position.
  struct RoleSizes {
    Role role = Role::key;
    int64_t heads = 0, dim = 0;
    std::vector<float> rms;      // [heads, capacity]
    std::vector<float> largest;  // [capacity], of all heads and all positions up to this one
  };
  const RoleSizes& sizes(int64_t layer, Role role) const;
  cpu::StoredRows rows(int64_t layer, Role role) const;
  void note_rms(int64_t layer, RoleSizes& of, int64_t first_position, int64_t tokens);

  ModelConfig config_;
  cpu::KvCache cache_;                         // without windows
  std::vector<std::vector<RoleSizes>> sizes_;  // [layers][roles]

  // [capacity, values of all layers]. Left unwritten: the system gives memory to what is used.
  std::unique_ptr<float[]> queries_;
  std::vector<int64_t> query_begin_;  // [layers + 1] where a layer's begin in a row
  std::vector<uint8_t> call_ended_;   // [capacity] whether a call ended at this position
};

}  // namespace kv::viewer
