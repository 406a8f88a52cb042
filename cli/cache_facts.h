// What a model's cache is, in words and with its numbers: the kind of attention, the formula of its size, its windows.
#pragma once

#include <string>
#include <string_view>

#include "model/config.h"

namespace kv::cli {

// "mha", "gqa", "mqa", "mla", or "mixed" when layers differ.
std::string_view attention_kind(const ModelConfig& config);
// "grouped-query attention"
std::string_view attention_words(std::string_view kind);

// "8 query heads share 2 KV heads", or where layers differ "layers 0-1: 8 query heads share 2 KV heads; layer 2: ..."
std::string heads_text(const ModelConfig& config);
// "1,536 (feed-forward)", or by layers
std::string hidden_dim_text(const ModelConfig& config);

// Bytes that the first token takes, as a formula: "4 layers x 2 KV heads x (32 + 32) x 2 bytes = 1,024 bytes".
std::string bytes_per_token_formula(const ModelConfig& config, Dtype dtype);
// "layers 0-1: all positions; 2-3: the last 6", or "all positions in all layers".
std::string window_text(const ModelConfig& config);
// Bytes that one more token takes once every window is full.
int64_t bytes_per_token_past_windows(const ModelConfig& config, Dtype dtype);

}  // namespace kv::cli
