// Memory: what a model takes where it is served, and how much fits into a device.
//
//   weights  all parameters, never the active experts alone, in a format; ranks share them evenly
//   cache    sum over layers of min(tokens, window) x the layer's stored row; nothing for layers that share or have
//   none states   what layers without attention keep of a whole request, whatever its length
//
// The cache is counted as requests need it ("logical"): no pages, no fragmentation, no rows set aside for later. A row
// is K and V of each KV head, or a latent and its rope key, each in whole blocks of the format.
//
// With tensor parallelism each of P ranks holds kv_heads / P heads, or one head when there are fewer heads than ranks,
// so that heads are stored more than once. A latent belongs to all heads and is stored on every rank.
#pragma once

#include <cstdint>
#include <optional>

#include "model/config.h"
#include "model/number_format.h"

namespace kv {

// All throw std::overflow_error when a number does not fit 64 bits.

// Bytes of all parameters: parameters x block_bytes / block_values, rounded up. Real files keep norms and some matrices
// in wider formats. The second throws std::invalid_argument where the parameters are not known.
int64_t weight_bytes(int64_t parameters, const NumberFormat& format);
int64_t weight_bytes(const ModelConfig& config, const NumberFormat& format);

// Throws std::invalid_argument unless every layer's KV heads can be shared by so many ranks: one number must divide the
// other.
void require_ranks(const ModelConfig& config, int64_t ranks);

// What one layer stores for one token, on one of `ranks`.
int64_t cache_row_bytes(const LayerCache& layer, const NumberFormat& format, int64_t ranks = 1);
// The cache of one request of `tokens`, on one of `ranks`.
int64_t request_cache_bytes(const ModelConfig& config, int64_t tokens, const NumberFormat& format, int64_t ranks = 1);
// What one more token adds once every window is full.
int64_t cache_bytes_past_windows(const ModelConfig& config, const NumberFormat& format, int64_t ranks = 1);
// The states of one request, on one of `ranks`, which share them evenly.
int64_t request_state_bytes(const ModelConfig& config, int64_t ranks = 1);

// A model on a device, or on several that are alike.
struct Serving {
  int64_t weights_bytes = 0;  // of the whole model
  NumberFormat cache = Dtype::bf16;
  int64_t ranks = 1;
  int64_t memory_bytes = 0;   // of each device
  int64_t reserve_bytes = 0;  // of them, for everything else

  // What a device has for caches and states; negative: the weights alone do not fit.
  int64_t room() const;
};

// What is left of a device's memory with `batch` requests of `tokens` each; negative: so much too little.
int64_t free_bytes(const ModelConfig& config, const Serving& serving, int64_t tokens, int64_t batch);
// How many requests of `tokens` each fit. Nothing: any number.
std::optional<int64_t> most_requests(const ModelConfig& config, const Serving& serving, int64_t tokens);
// How long `batch` requests, all of one length, can become; 0: they do not even begin. Nothing: any length, since every
// layer has a window.
std::optional<int64_t> longest_requests(const ModelConfig& config, const Serving& serving, int64_t batch);

}  // namespace kv
