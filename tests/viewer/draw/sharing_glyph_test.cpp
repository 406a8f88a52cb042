#include "viewer/draw/sharing_glyph.h"

#include <doctest/doctest.h>

#include <set>

#include "viewer/session/lane_numbers.h"

using namespace kv;
using namespace kv::viewer;

namespace {

// What a reader counts.
struct Counts {
  int64_t dots = 0, pairs = 0;
};

Counts counts_of(const ModelConfig& config) {
  const Palette& palette = palette_of(Theme::light);
  Counts counts;
  std::set<float> pairs;  // by their left edges
  for (const auto& shape : draw_sharing_glyph(config, {0, 0, kGlyphWidth, kGlyphHeight}, palette).shapes) {
    counts.dots += std::holds_alternative<FilledCircle>(shape);
    if (const auto* rect = std::get_if<FilledRect>(&shape))
      if (rect->colour == palette.key) pairs.insert(rect->box.left);
  }
  counts.pairs = std::ssize(pairs);
  return counts;
}

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("sharing glyph: as many dots as query heads and pairs as KV heads, or nothing") {
    int drawn = 0, empty = 0;
    for (const SizeOf& size : sizes_to_compare())
      for (const ModelConfig& config : size.variants) {
        CAPTURE(size.name);
        const Counts counts = counts_of(config);
        const bool latent = config.layer_cache[0].kind == LayerCache::Kind::latent;
        if (config.heads > 32) {
          CHECK(counts.dots == 0);
          CHECK(counts.pairs == 0);
          ++empty;
          continue;
        }
        CHECK(counts.dots == config.heads);
        CHECK(counts.pairs == (latent ? 0 : config.layer_cache[0].kv_heads));
        ++drawn;
      }
    CHECK(drawn > 0);
    CHECK(empty > 0);
  }
}
