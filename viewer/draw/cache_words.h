// CacheWords: what a layer keeps of a token, and why a window's ring is as large as it is, in words that the maps, the
// attention scene and the words page share.
#pragma once

#include <string>

#include "model/config.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

// "8 KV heads", "1 latent", "no cache": of the first layer that stores anything.
std::string stored_heads(const ModelConfig& config);

// With the sizes of their vectors: "8 KV heads of 128", "128 KV heads of 192 (K) and 128 (V)", "a latent of 512 and a
// rope key of 64".
std::string stored_vectors(const ModelConfig& config);

// The first layer that keeps a window; -1: none does.
int64_t first_windowed_layer(const ModelConfig& config);

// "a ring of 14 slots, for the window's 4 older tokens and the 10 of the prompt's call". The layer must keep a window.
std::string ring_words(const LaneFacts& lane, int64_t layer);

}  // namespace kv::viewer
