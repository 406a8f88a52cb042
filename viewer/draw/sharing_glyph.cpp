#include "viewer/draw/sharing_glyph.h"

#include <algorithm>

namespace kv::viewer {

namespace {

constexpr float kPairWidth = 9, kBarHeight = 3;
constexpr float kLatentShare = 0.64f, kRopeShare = 0.1f;  // of the width: not to scale, which the maps are

}  // namespace

SharingGlyph sharing_of(const ModelConfig& config, int64_t layer) {
  const LayerCache& own = config.layer_cache[static_cast<size_t>(layer)];
  const LayerCache& cache =
      own.kind == LayerCache::Kind::shared ? config.layer_cache[static_cast<size_t>(own.source)] : own;
  SharingGlyph glyph;
  glyph.dots = config.sizes_of(layer).heads;
  glyph.latent = cache.kind == LayerCache::Kind::latent;
  glyph.shared = cache.kind == LayerCache::Kind::none ? 0 : glyph.latent ? 1 : cache.kv_heads;
  return glyph;
}

Picture draw_sharing_glyph(const ModelConfig& config, Rect box, const Palette& palette, int64_t layer) {
  Picture picture;
  const SharingGlyph glyph = sharing_of(config, layer);
  if (glyph.dots < 1 || glyph.dots > kMostDots) return picture;
  const float apart = box.width() / static_cast<float>(glyph.dots);
  const float radius = std::clamp(apart * 0.22f, 1.f, 2.6f);
  const auto dot_x = [&](int64_t dot) { return box.left + apart * (static_cast<float>(dot) + 0.5f); };
  const float dots_y = box.top + 3, pairs_top = box.bottom - 2 * kBarHeight;

  // In the middle of the dots that read it.
  const auto shared_x = [&](int64_t shared) {
    int64_t first = glyph.dots, last = 0;
    for (int64_t dot = 0; dot < glyph.dots; ++dot)
      if (glyph.shared_of(dot) == shared) first = std::min(first, dot), last = dot;
    return (dot_x(first) + dot_x(last)) / 2;
  };
  for (int64_t dot = 0; dot < glyph.dots && glyph.shared > 0; ++dot)
    picture.line({dot_x(dot), dots_y}, {shared_x(glyph.shared_of(dot)), pairs_top}, palette.faint);
  for (int64_t dot = 0; dot < glyph.dots; ++dot) picture.circle({dot_x(dot), dots_y}, radius, palette.soft);

  if (glyph.latent) {
    const float left = box.left + 0.16f * box.width(), end = left + kLatentShare * box.width();
    picture.rect({left, pairs_top, end, box.bottom - 1}, palette.latent);
    picture.rect({end + 2, pairs_top, end + 2 + kRopeShare * box.width(), box.bottom - 1}, palette.rope_key);
    return picture;
  }
  const float width = std::min(
      kPairWidth,
      std::max(1.f,
               apart * static_cast<float>(glyph.dots) / static_cast<float>(std::max<int64_t>(1, glyph.shared)) - 2));
  for (int64_t shared = 0; shared < glyph.shared; ++shared) {
    const float x = shared_x(shared);
    picture.rect({x - width / 2, pairs_top, x + width / 2, pairs_top + kBarHeight}, palette.key);
    picture.rect({x - width / 2, pairs_top + kBarHeight, x + width / 2, box.bottom}, palette.value);
  }
  return picture;
}

}  // namespace kv::viewer
