// The colours of everything, in a dark and a light theme. Roles are Okabe and Ito's colours, which people with any
// colour vision tell apart; no meaning rests on hue alone.
#pragma once

#include "viewer/draw/colour.h"
#include "viewer/session/role.h"

namespace kv::viewer {

enum class Theme { dark, light };

struct Palette {
  Colour background, panel;
  Colour line, well;  // rules; reserved and empty
  Colour text, soft, faint;
  Colour key, value, latent, rope_key;                      // marks
  Colour key_text, value_text, latent_text, rope_key_text;  // the same as text
  Colour scan, scan_text;                                   // reading old tokens
  Colour new_token;                                         // the step's work that does not grow
  Colour accent, accent_text;                               // the newest token; the headline's last words
  Colour error;

  Colour role(Role role) const;
  Colour role_text(Role role) const;
  // The fill of a stored vector, from pale (0) to strong (1): its RMS over the layer's largest.
  Colour shade(Role role, double strength) const;
  // Positive and negative numbers, symmetric about 0: -1..1.
  Colour diverging(double value) const;
  // Attention weights, 0..1: cividis, monotone in lightness.
  Colour weight(double value) const;
};
const Palette& palette_of(Theme theme);

}  // namespace kv::viewer
