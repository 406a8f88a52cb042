// Multi-head latent attention (MLA: DeepSeek-V2, arXiv 2405.04434, section 2.1.2), in its two equal forms.
//
// Stored per token: a latent c (after its norm) and one rotated rope key p, shared by all heads. With the rows of
// latent_up split per head into U (nope_dim rows, for the key) and W (value_head_dim rows, for the value):
//   materialised   K = [U c ; p] and V = W c are rebuilt for every stored token, then attended to as usual
//   absorbed       (U^T q_nope) . c + q_rope . p is the same score, W (sum of weight * c) the same output: attention
//                  runs on the stored rows themselves, one KV head of latent_dim + rope_dim for all query heads
// The form is an argument. Each is bit for bit itself with and without a cache; the two differ by rounding.
#pragma once

#include "cpu_reference/latent_form.h"
#include "cpu_reference/rope.h"
#include "cpu_reference/run.h"
#include "cpu_reference/stored_rows.h"
#include "model/weights.h"

namespace kv::cpu {

// What the tokens of a call contribute, before storage.
template <class Scalar>
struct LatentProjection {
  Matrix<Scalar> queries;    // [tokens, heads * (nope_dim + rope_dim)], rope part rotated
  Matrix<Scalar> latents;    // [tokens, latent_dim], normed
  Matrix<Scalar> rope_keys;  // [tokens, rope_dim], rotated
};

// x [tokens, model_dim], after the layer's norm.
template <class Scalar>
LatentProjection<Scalar> project_latent(Rows<Scalar> x, const LayerWeights& weights, const ModelConfig& config,
                                        const RopeTable<Scalar>& table, const Run& run);

// queries [tokens, heads * (nope_dim + rope_dim)], the first at first_position; stored rows of latent_dim + rope_dim
// for all positions up to the last query's -> [tokens, heads * value_head_dim].
template <class Scalar>
Matrix<Scalar> attend_absorbed(Rows<Scalar> queries, const StoredRows& latents, const WeightMatrix& latent_up,
                               const ModelConfig& config, int64_t first_position, const Run& run);
template <class Scalar>
Matrix<Scalar> attend_materialised(Rows<Scalar> queries, const StoredRows& latents, const WeightMatrix& latent_up,
                                   const ModelConfig& config, int64_t first_position, const Run& run);

// Each query turned into the latent space, [U^T q_nope ; q_rope]: [tokens, heads * (latent_dim + rope_dim)].
template <class Scalar>
Matrix<Scalar> absorb(Rows<Scalar> queries, const WeightMatrix& latent_up, const ModelConfig& config, const Run& run);

// One of the two.
template <class Scalar>
Matrix<Scalar> attend_latent(LatentForm form, Rows<Scalar> queries, const StoredRows& latents,
                             const WeightMatrix& latent_up, const ModelConfig& config, int64_t first_position,
                             const Run& run);

// The weights that it gives to the stored positions: [tokens, heads * positions]; see attention_weights.
template <class Scalar>
Matrix<Scalar> latent_attention_weights(LatentForm form, Rows<Scalar> queries, const StoredRows& latents,
                                        const WeightMatrix& latent_up, const ModelConfig& config,
                                        int64_t first_position, const Run& run);

// The keys and values that stored rows [positions, latent_dim + rope_dim] stand for: keys
// [positions, heads * (nope_dim + rope_dim)], each head's nope part and then the rope key; values
// [positions, heads * value_head_dim].
template <class Scalar>
Matrix<Scalar> materialise_keys(Rows<Scalar> stored, const WeightMatrix& latent_up, const ModelConfig& config,
                                const Run& run);
template <class Scalar>
Matrix<Scalar> materialise_values(Rows<Scalar> stored, const WeightMatrix& latent_up, const ModelConfig& config,
                                  const Run& run);

}  // namespace kv::cpu
