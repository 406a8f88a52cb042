// GlTextures: a texture for each owner of texels, sent anew when their version differs. Needs a current context, also
// to be destroyed.
#pragma once

#include <cstdint>
#include <map>

#include "viewer/window/paint.h"

namespace kv::viewer {

class GlTextures final : public Textures {
 public:
  GlTextures() = default;
  ~GlTextures() override { forget(); }
  GlTextures(const GlTextures&) = delete;
  GlTextures& operator=(const GlTextures&) = delete;

  ImTextureID texture_of(const Image& image) override;
  // Versions begin anew: another run.
  void forget();

 private:
  struct Sent {
    unsigned name = 0;
    int width = 0, height = 0;
    uint64_t version = 0;
  };
  std::map<uint64_t, Sent> sent_;
};

}  // namespace kv::viewer
