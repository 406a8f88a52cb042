// KvCache: the keys and values (or latents) of the tokens seen so far. Whoever runs the model owns it, and can print
// it, copy it, truncate it, draw it. It alone knows its length.
//
// A step appends to each layer in turn and then advances the length once, so a step that throws half-way leaves the
// length as it was. Rows are rounded to the storage type when they are appended; nothing ever attends to an unrounded
// key.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_reference/run.h"
#include "cpu_reference/stored_rows.h"
#include "model/kv_layout.h"

namespace kv::cpu {

class KvCache {
 public:
  // Tokens that one call may bring when a layer has a window: a longer prefill is cut to this (the bits do not change).
  static constexpr int64_t kLargestCall = 512;

  KvCache(const ModelConfig& config, int64_t capacity, Dtype dtype, int64_t largest_call = kLargestCall);

  int64_t length() const { return length_; }
  int64_t capacity() const { return layout_.capacity(); }
  int64_t largest_call() const { return layout_.largest_call(); }
  Dtype dtype() const { return dtype_; }
  const KvLayout& layout() const { return layout_; }

  // Throws CacheFull, naming both numbers, unless `tokens` more fit. A call asks before it writes anything.
  void require_room(int64_t tokens) const;

  // Stores rows at positions length() .. length() + tokens of one layer; advance() makes them count.
  //   keys [tokens, kv_heads * key_head_dim], values [tokens, kv_heads * value_head_dim]
  template <class Scalar>
  void append(int64_t layer, Rows<Scalar> keys, Rows<Scalar> values, const Run& run);
  //   latents [tokens, latent_dim], rope_keys [tokens, rope_dim]
  template <class Scalar>
  void append_latent(int64_t layer, Rows<Scalar> latents, Rows<Scalar> rope_keys, const Run& run);
  void advance(int64_t tokens);

  // Views for attention, by position. They stay valid as long as the cache does.
  StoredRows keys(int64_t layer) const;
  StoredRows values(int64_t layer) const;
  StoredRows latents(int64_t layer) const;  // rows of latent_dim + rope_dim, one "head"

  // Forgets all positions from `length` on. Throws std::invalid_argument when the cache is shorter, or when a window's
  // ring no longer holds what the next token would need.
  void truncate(int64_t length);
  void reset();

  // Bytes of what is stored: window layers count min(length, window), shared layers nothing.
  int64_t kv_bytes() const { return cache_bytes(layers_, length_, dtype_); }
  // Bytes reserved, rings' extra slots included.
  int64_t allocated_bytes() const { return static_cast<int64_t>(bytes_.size()); }

 private:
  std::byte* at(int64_t offset) { return bytes_.data() + offset * bytes_of(dtype_); }
  const std::byte* at(int64_t offset) const { return bytes_.data() + offset * bytes_of(dtype_); }
  void note_written(int64_t layer, int64_t tokens);

  std::vector<LayerCache> layers_;
  KvLayout layout_;
  Dtype dtype_;
  int64_t length_ = 0;
  std::vector<int64_t> oldest_;  // [layers] first position that the layer still holds
  std::vector<std::byte> bytes_;
};

}  // namespace kv::cpu
