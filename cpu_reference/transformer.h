// The forward pass, with and without a KV cache.
//
//   forward_without_cache   all tokens through all layers, every time: the other side of the claim
//   prefill                 many tokens at once, appended to the cache
//   decode_step             one token, appended to the cache
//
// The claim, held by tests with ==: for the same tokens, storage type and latent form, the three give the same logits,
// bit for bit, in whatever pieces and with however many threads. In float for use, in double as the oracle.
#pragma once

#include <cstdint>
#include <span>

#include "cpu_reference/kv_cache.h"
#include "cpu_reference/latent_attention.h"
#include "cpu_reference/run.h"
#include "model/weights.h"

namespace kv::cpu {

// Both must outlive the call; neither is changed.
struct Model {
  const ModelConfig& config;
  const Weights& weights;
};

// Which rows of logits are wanted: the head is the largest product of a small model, and generation needs one row of
// it, or none while a prompt is read in pieces.
enum class LogitRows { none, last, all };

// [tokens] -> [rows, vocab]. K and V are rounded to cache_dtype before they are attended to, as a cache would.
// All three throw std::invalid_argument on no tokens, ids outside the embedding or positions beyond max_context.
template <class Scalar>
Matrix<Scalar> forward_without_cache(const Model& model, std::span<const int32_t> tokens, Dtype cache_dtype,
                                     LatentForm form, LogitRows rows, const Run& run);

// [tokens] -> [rows, vocab]. Throws CacheFull, before anything is written, when the tokens do not fit. With windows, a
// call longer than cache.largest_call() runs in pieces of that size.
template <class Scalar>
Matrix<Scalar> prefill(const Model& model, std::span<const int32_t> tokens, KvCache& cache, LatentForm form,
                       LogitRows rows, const Run& run);

// token -> [1, vocab]
template <class Scalar>
Matrix<Scalar> decode_step(const Model& model, int32_t token, KvCache& cache, LatentForm form, const Run& run);

}  // namespace kv::cpu
