#include "viewer/draw/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kv::viewer {

namespace {

constexpr Colour kWhite = Colour::of(0xFFFFFF);

Palette dark() {
  Palette p;
  p.background = Colour::of(0x0F1318);
  p.panel = Colour::of(0x171C23);
  p.line = Colour::of(0x2A323C);
  p.well = Colour::of(0x141920);
  p.text = Colour::of(0xEDF0F3);
  p.soft = Colour::of(0xA9B4C0);
  p.faint = Colour::of(0x7F8B98);
  p.key = p.key_text = Colour::of(0x56B4E9);
  p.value = p.value_text = Colour::of(0xE69F00);
  p.latent = p.latent_text = Colour::of(0x1FB58A);
  p.rope_key = p.rope_key_text = Colour::of(0xCC79A7);
  p.scan = Colour::of(0xD55E00);
  p.scan_text = Colour::of(0xE8742A);
  p.new_token = Colour::of(0x5C6876);
  p.accent = p.accent_text = Colour::of(0xF0E442);
  p.error = Colour::of(0xFF8A80);
  return p;
}

Palette light() {
  Palette p;
  p.background = Colour::of(0xFAFAF7);
  p.panel = Colour::of(0xFFFFFF);
  p.line = Colour::of(0xD9DCD6);
  p.well = Colour::of(0xF0F1ED);
  p.text = Colour::of(0x16191D);
  p.soft = Colour::of(0x4C5660);
  p.faint = Colour::of(0x656D76);
  p.key = p.key_text = Colour::of(0x0072B2);
  p.value = Colour::of(0xE69F00);
  p.value_text = Colour::of(0x8A5C00);
  p.latent = Colour::of(0x009E73);
  p.latent_text = Colour::of(0x00795A);
  p.rope_key = Colour::of(0xB85C91);
  p.rope_key_text = Colour::of(0x9A4A7B);
  p.scan = Colour::of(0xD55E00);
  p.scan_text = Colour::of(0xB34A00);
  p.new_token = Colour::of(0xA7B0B8);
  p.accent = Colour::of(0xB8860B);
  p.accent_text = p.text;
  p.error = Colour::of(0xB3261E);
  return p;
}

bool is_dark(const Palette& palette) { return luminance(palette.background) < 0.5; }

// Between stops that stand at equal distances over 0..1.
template <size_t n>
Colour along(const std::array<Colour, n>& stops, double value) {
  const double at = std::clamp(value, 0.0, 1.0) * static_cast<double>(n - 1);
  const size_t left = std::min(static_cast<size_t>(at), n - 2);
  return mix(stops[left], stops[left + 1], at - static_cast<double>(left));
}

}  // namespace

const Palette& palette_of(Theme theme) {
  static const Palette kDark = dark(), kLight = light();
  return theme == Theme::dark ? kDark : kLight;
}

Colour Palette::role(Role role) const {
  switch (role) {
    case Role::key: return key;
    case Role::value: return value;
    case Role::latent: return latent;
    case Role::rope_key: return rope_key;
  }
  return text;
}

Colour Palette::role_text(Role role) const {
  switch (role) {
    case Role::key: return key_text;
    case Role::value: return value_text;
    case Role::latent: return latent_text;
    case Role::rope_key: return rope_key_text;
  }
  return text;
}

// On dark ground the strong are lighter than the role, on light ground they are the role's colour itself: there the
// pale end is near the ground already.
Colour Palette::shade(Role role_of_vector, double strength) const {
  const Colour full = role(role_of_vector);
  if (is_dark(*this)) return mix(mix(full, background, 0.52), mix(full, kWhite, 0.28), strength);
  return mix(mix(full, background, 0.65), full, strength);
}

// Violet and yellow, which are no role's colours and which everybody tells apart; zero is the well.
Colour Palette::diverging(double value) const {
  const bool on_dark = is_dark(*this);
  const Colour negative = Colour::of(on_dark ? 0xA48DF0 : 0x5438B4);
  const Colour positive = Colour::of(on_dark ? 0xF3D05E : 0x8A6400);
  return mix(well, value < 0 ? negative : positive, std::abs(value));
}

// Cividis (Nunez, Anderton and Renslow 2018, "Optimizing colormaps with consideration for color vision deficiency"), by
// nine stops of it.
Colour Palette::weight(double value) const {
  constexpr std::array kStops = {Colour::of(0x00224E), Colour::of(0x1B3A6D), Colour::of(0x414D6B),
                                 Colour::of(0x5F636E), Colour::of(0x7C7B78), Colour::of(0x9B9476),
                                 Colour::of(0xBCAF6F), Colour::of(0xDDCB5F), Colour::of(0xFEE838)};
  return along(kStops, value);
}

}  // namespace kv::viewer
