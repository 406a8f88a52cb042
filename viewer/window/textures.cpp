#include "viewer/window/textures.h"

#include "viewer/window/gl.h"

namespace kv::viewer {

namespace {

// Neighbouring texels never mix: what was baked is what is seen.
unsigned new_texture() {
  unsigned name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return name;
}

}  // namespace

ImTextureID GlTextures::texture_of(const Image& image) {
  const Texels& texels = *image.texels;
  Sent& sent = sent_[image.owner];
  const bool is_new = sent.name == 0;
  if (is_new) sent.name = new_texture();
  const bool resized = sent.width != texels.width || sent.height != texels.height;
  if (is_new || resized || sent.version != image.version) {
    glBindTexture(GL_TEXTURE_2D, sent.name);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    if (is_new || resized) {
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, texels.width, texels.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   texels.colours.data());
    } else {
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, texels.width, texels.height, GL_RGBA, GL_UNSIGNED_BYTE,
                      texels.colours.data());
    }
    check_gl("hold the texels of a map");
    sent.width = texels.width;
    sent.height = texels.height;
    sent.version = image.version;
  }
  return reinterpret_cast<ImTextureID>(static_cast<intptr_t>(sent.name));
}

void GlTextures::forget() {
  for (const auto& [owner, sent] : sent_) glDeleteTextures(1, &sent.name);
  sent_.clear();
}

}  // namespace kv::viewer
