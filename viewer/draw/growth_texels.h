// TexelsKey: what kept texels show, so that a change is noticed: which store, tokens, strips, columns and colours.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "viewer/draw/growth_layout.h"
#include "viewer/draw/palette.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct TexelsKey {
  std::shared_ptr<const KvStore> store;  // held, so that no other one can come to lie at its address
  std::vector<int32_t> tokens;           // [context] that were baked: after a branch others stand there
  std::vector<Strip> strips;             // without boxes
  double tokens_per_column = 0;
  int64_t values_per_row = 0;
  const Palette* palette = nullptr;
  int width = 0;  // of the texels

  TexelsKey() = default;
  TexelsKey(const LaneView& lane, std::vector<Strip> of_strips, int64_t context, double per_column, int64_t per_row,
            const Palette& colours);
  int64_t context() const { return std::ssize(tokens); }
  // Do the texels of `other` stay valid, as far as both have the same tokens?
  bool agrees(const TexelsKey& other) const;
  // How many tokens from the beginning are the same.
  int64_t common_tokens(const TexelsKey& other) const;
};

}  // namespace kv::viewer
