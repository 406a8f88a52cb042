// ModelConfig: the shape of a model and the facts that its forward pass depends on, whatever file they came from.
//
// What a layer *stores* is described per layer (LayerCache), never once for the model: real models mix full attention
// with windows, share a cache between layers, or keep none in some.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.h"

namespace kv {

// The kinds of model that we know. The first six run; the others are described, sized and priced.
enum class Family {
  llama,
  mistral,
  qwen2,
  qwen3,
  deepseek_v2,
  deepseek_v3,
  mixtral,
  qwen2_moe,
  qwen3_moe,
  gemma2,
  gemma3,
  phi3,
  falcon,
  gpt2,
  gpt_bigcode,
  gpt_neox,
  starcoder2,
  olmo2,
  gpt_oss,
  minicpm3,
  cohere,
  opt,
  jamba,
  qwen3_5
};
std::string_view name_of(Family family);

// What one layer keeps for each token.
struct LayerCache {
  enum class Kind {
    per_head,  // K [kv_heads, key_head_dim] and V [kv_heads, value_head_dim]
    latent,    // one latent [latent_dim] (after its norm) and one rotated rope key [rope_dim], shared by all heads
    shared,    // nothing of its own: reads what layer `source` stored
    none,      // no cache at all (a layer without attention)
  };

  Kind kind = Kind::none;
  int64_t kv_heads = 0;        // per_head
  int64_t key_head_dim = 0;    // per_head
  int64_t value_head_dim = 0;  // per_head
  int64_t latent_dim = 0;      // latent
  int64_t rope_dim = 0;        // latent
  int64_t source = -1;         // shared: index of the layer that stores
  int64_t window = 0;          // a token sees this many positions, itself included; 0: all of them
  int64_t state_bytes = 0;     // none: what such a layer keeps of the whole sequence, whatever its length

  static LayerCache per_head(int64_t kv_heads, int64_t key_head_dim, int64_t value_head_dim, int64_t window = 0);
  static LayerCache latent(int64_t latent_dim, int64_t rope_dim);
  static LayerCache shared_with(int64_t layer, int64_t window = 0);

  // Values (not bytes) that this layer stores for one token.
  int64_t values_per_token() const;
  // Positions of a sequence of `length` tokens that the next token can still need: min(length, window).
  int64_t positions_kept(int64_t length) const;
};

// Bytes of a cache that holds `length` tokens: window layers count min(length, window), shared layers nothing.
int64_t cache_bytes(std::span<const LayerCache> layers, int64_t length, Dtype dtype);

// Rotary position embedding: pair i of a vector is turned by position x theta^(-2i / dim), before scaling.
struct RopeConfig {
  enum class Scaling { none, linear, llama3, yarn };
  enum class Pairing {
    half,         // value i pairs with i + dim/2
    interleaved,  // value 2i pairs with 2i + 1
  };

  int64_t dim = 0;
  double theta = 10000.0;
  Pairing pairing = Pairing::half;
  Scaling scaling = Scaling::none;
  double factor = 1.0;                        // linear, llama3, yarn
  int64_t original_context = 0;               // llama3, yarn: the context before stretching
  double low_freq_factor = 1.0;               // llama3
  double high_freq_factor = 4.0;              // llama3
  double beta_fast = 32.0, beta_slow = 1.0;   // yarn
  double mscale = 0.0, mscale_all_dim = 0.0;  // yarn; 0: not given
  std::optional<double> attention_factor;     // yarn; overrides the one that mscale gives
  bool truncate = true;                       // yarn: round the ramp's ends to whole dimensions
  std::vector<double> divisors;               // [dim / 2] of each pair's frequency, on top of the above; empty: none
};

// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1). All 0: the model has none.
struct LatentConfig {
  int64_t query_latent_dim = 0;  // q_lora_rank; 0: the query is projected in one step
  int64_t latent_dim = 0;        // kv_lora_rank
  int64_t nope_dim = 0;          // qk_nope_head_dim
  int64_t rope_dim = 0;          // qk_rope_head_dim
  double norm_eps = 1e-6;        // of the norms inside attention; Hugging Face fixes it, whatever rms_norm_eps says
};

// Mixtures of experts: feed-forward networks of which each token runs a few.
struct ExpertsConfig {
  int64_t count = 0;              // in each layer that has them; 0: the model is dense
  int64_t used = 0;               // by a token
  int64_t hidden_dim = 0;         // of one expert
  int64_t shared_hidden_dim = 0;  // of the network that every token runs beside them; 0: none
  bool shared_gate = false;       // a gate [1, model_dim] in front of the shared network (qwen2_moe)
  bool router_bias = false;       // of the scores (gpt_oss), or only of the choice (deepseek_v3): [count]
  bool expert_bias = false;       // of each expert's projections (gpt_oss)
};

// What may differ from layer to layer beside the cache.
struct LayerSizes {
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t hidden_dim = 0;  // of a dense feed-forward network
  bool experts = false;    // there are experts instead of it
};

struct ModelConfig {
  std::string name;
  Family family = Family::llama;

  int64_t layers = 0;
  int64_t model_dim = 0;
  int64_t hidden_dim = 0;  // of the feed-forward network
  int64_t vocab = 0;       // rows of the embedding
  int64_t max_context = 0;

  // Where layers differ (layer_sizes), heads, kv_heads and hidden_dim are the largest.
  int64_t heads = 0;                    // query heads
  int64_t kv_heads = 0;                 // key-value heads as projected; with latent attention equal to heads
  int64_t key_head_dim = 0;             // of queries and keys; with latent attention nope_dim + rope_dim
  int64_t value_head_dim = 0;           // of values
  std::vector<LayerSizes> layer_sizes;  // [layers]; empty: all layers have the three sizes above
  LatentConfig latent;
  ExpertsConfig experts;
  RopeConfig rope;
  std::vector<LayerCache> layer_cache;  // [layers]

  double norm_eps = 1e-6;
  bool query_key_norm = false;  // RMS norm of each query and key head before rotation (qwen3, gemma3)
  bool qkv_bias = false;        // with latent attention: of the two down projections
  bool output_bias = false;     // of attention's output projection
  bool feed_forward_bias = false;
  bool tied_embeddings = false;  // the head is the embedding

  // Parts of families that do not run.
  bool norm_of_all_heads = false;  // RMS norm of all queries together and of all keys together (olmo2)
  bool gated_feed_forward = true;  // gate, up and down; false: up and down
  int64_t norms_per_layer = 2;     // over model_dim
  bool norm_bias = false;          // a norm has a bias as well (LayerNorm)
  int64_t learned_positions = 0;   // rows of a table of positions (gpt2); 0: none
  bool attention_sinks = false;    // one more learned score for each head (gpt_oss)
  bool head_bias = false;          // of the output head
  std::string cannot_run;          // why kvlab does not run it, as an error says it; empty: it runs
  std::string unknown_parameters;  // why its parameters are not counted, as a sentence; empty: they are

  Dtype weights_dtype = Dtype::f32;  // as stored in the file
  std::vector<int64_t> end_tokens;   // generation may stop at these
  std::optional<int64_t> begin_token;

  std::vector<std::string> assumed;  // defaults that were used because the file is silent, as sentences

  bool has_latent_attention() const { return latent.latent_dim > 0; }
  LayerSizes sizes_of(int64_t layer) const {
    return layer_sizes.empty() ? LayerSizes{heads, kv_heads, hidden_dim, experts.count > 0}
                               : layer_sizes[static_cast<size_t>(layer)];
  }
  // Factor on query . key before softmax: key_head_dim^-1/2, with yarn's mscale_all_dim folded in for latent attention.
  double attention_scale() const;
  // Values stored per token, all layers; a token beyond a window no longer adds to its layer, see cache_bytes.
  int64_t cache_values_per_token() const;
  int64_t cache_bytes(int64_t length, Dtype dtype) const { return kv::cache_bytes(layer_cache, length, dtype); }
};

// Throws std::invalid_argument that names the field, expected and actual, unless the config can be computed with.
void validate(const ModelConfig& config);

}  // namespace kv
