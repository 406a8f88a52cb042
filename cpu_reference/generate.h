// Generation: read a prompt, then one token after another, from the cache or by recomputing everything at each step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu_reference/transformer.h"
#include "model/sampler.h"

namespace kv::cpu {

enum class CacheUse { on, off };

struct GenerateOptions {
  int64_t tokens = 64;  // to generate; fewer when an end token is drawn
  CacheUse cache = CacheUse::on;
  Dtype cache_dtype = Dtype::bf16;  // without a cache K and V are rounded to it all the same
  LatentForm form = LatentForm::absorbed;
  std::vector<int64_t> chunks;    // sizes of the prefill's pieces, the last one repeated; empty: one piece
  int64_t capacity = 0;           // of the cache; 0: as many as will be fed, prompt + tokens - 1
  bool stop_at_end = true;        // at the config's end tokens
  std::vector<int32_t> excluded;  // never drawn: rows of the embedding that have no token, say
};

struct Generation {
  std::vector<int32_t> tokens;
  double prefill_seconds = 0;
  double decode_seconds = 0;
  int64_t decode_steps = 0;  // calls after the prefill
  Counters prefill;          // counted, not predicted
  Counters decode;           // all decode steps together
  int64_t kv_bytes = 0;      // stored at the end, which is the most there were; 0 without a cache
  uint64_t logits_hash = 0;  // FNV-1a 64 over the f32 logits of every generated step, in order
};

// Throws std::invalid_argument when a prompt of so many tokens and options.tokens do not fit the model's context, and
// CacheFull when they do not fit the cache. The last token that is drawn is never fed.
void require_room(int64_t prompt_tokens, const GenerateOptions& options, const ModelConfig& config);

// Throws std::invalid_argument when the prompt is empty, holds ids outside the embedding, or prompt and tokens do not
// fit the model's context; CacheFull when they do not fit options.capacity. on_token is called with each token as it is
// drawn. run.trace, when given, must be fresh; it then holds one call for each piece and step.
Generation generate(const Model& model, std::span<const int32_t> prompt, const GenerateOptions& options,
                    Sampler& sampler, const std::function<void(int32_t)>& on_token, const Run& run);

}  // namespace kv::cpu
