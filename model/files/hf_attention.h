// The attention of a Hugging Face config: heads, their sizes, and what each layer keeps.
#pragma once

#include "model/config.h"
#include "model/files/hf_fields.h"

namespace kv {

// Attention with keys and values per head: heads, head sizes, and a cache of each layer with its window.
void read_hf_attention(HfFields& fields, ModelConfig& config);

// Latent attention (MLA): its sizes, and a latent cache of each layer. A head_dim in such a file is qk_rope_head_dim,
// and says nothing new; nor does num_key_value_heads describe the cache.
void read_hf_latent_attention(HfFields& fields, ModelConfig& config);

}  // namespace kv
