#include "viewer/draw/palette.h"

#include <doctest/doctest.h>

#include <vector>

using namespace kv::viewer;

namespace {

constexpr Theme kThemes[] = {Theme::dark, Theme::light};
constexpr Role kRoles[] = {Role::key, Role::value, Role::latent, Role::rope_key};

}  // namespace

TEST_SUITE("viewer/draw") {
  TEST_CASE("contrast is 21 between black and white, 1 between equals, and does not depend on the order") {
    const Colour black = Colour::of(0x000000), white = Colour::of(0xFFFFFF), grey = Colour::of(0x777777);
    CHECK(contrast(black, white) == doctest::Approx(21));
    CHECK(contrast(white, black) == doctest::Approx(21));
    CHECK(contrast(grey, grey) == doctest::Approx(1));
    // WCAG's own example of a grey that just fails on white.
    CHECK(contrast(grey, white) == doctest::Approx(4.48).epsilon(0.002));
  }

  TEST_CASE("text of every colour stands out 4.5 : 1 from every ground it is written on, in both themes") {
    for (const Theme theme : kThemes) {
      const Palette& p = palette_of(theme);
      const std::vector<Colour> texts = {p.text,        p.soft,          p.faint,     p.key_text,    p.value_text,
                                         p.latent_text, p.rope_key_text, p.scan_text, p.accent_text, p.error};
      for (size_t i = 0; i < texts.size(); ++i)
        for (const Colour ground : {p.background, p.panel, p.well}) {
          CAPTURE(static_cast<int>(theme));
          CAPTURE(i);
          CHECK(contrast(texts[i], ground) >= 4.5);
        }
    }
  }

  TEST_CASE(
      "every mark stands out 3 : 1 from the ground, but for value's orange on white, which has a dark edge or text") {
    for (const Theme theme : kThemes) {
      const Palette& p = palette_of(theme);
      for (const Colour mark : {p.key, p.latent, p.rope_key, p.scan, p.accent})
        CHECK(contrast(mark, p.background) >= 3);
      CHECK(contrast(p.new_token, p.panel) >= (theme == Theme::dark ? 2.9 : 2.1));
    }
    CHECK(contrast(palette_of(Theme::dark).value, palette_of(Theme::dark).background) >= 3);
  }

  TEST_CASE("a vector's shade is monotone in its strength: stronger is further from the ground's side") {
    for (const Theme theme : kThemes)
      for (const Role role : kRoles) {
        const Palette& p = palette_of(theme);
        const double first = luminance(p.shade(role, 0)), last = luminance(p.shade(role, 1));
        const double direction = last > first ? 1 : -1;
        for (int i = 1; i <= 100; ++i)
          CHECK(direction * luminance(p.shade(role, i / 100.0)) >=
                direction * luminance(p.shade(role, (i - 1) / 100.0)));
      }
  }

  TEST_CASE("on light ground the strongest vector has its role's colour in the legend, on dark a lighter one") {
    for (const Role role : kRoles) {
      const Palette &light = palette_of(Theme::light), &dark = palette_of(Theme::dark);
      CHECK(light.shade(role, 1) == light.role(role));
      CHECK(luminance(dark.shade(role, 1)) > luminance(dark.role(role)));
      // From the weakest to the strongest is as far as the theme's ground allows; orange is the palest on white.
      CHECK(contrast(light.shade(role, 0), light.shade(role, 1)) >= (role == Role::value ? 1.6 : 2.1));
      CHECK(contrast(dark.shade(role, 0), dark.shade(role, 1)) >= 3.5);
      // The weakest is no empty place.
      CHECK(contrast(light.shade(role, 0), light.well) >= 1.2);
      CHECK(contrast(dark.shade(role, 0), dark.well) >= 1.7);
    }
  }

  TEST_CASE("attention's colours grow lighter with the weight") {
    const Palette& p = palette_of(Theme::dark);
    for (int i = 1; i <= 64; ++i) CHECK(luminance(p.weight(i / 64.0)) > luminance(p.weight((i - 1) / 64.0)));
  }

  TEST_CASE("signed numbers: zero is the ground, both signs leave it alike and stay apart") {
    for (const Theme theme : kThemes) {
      const Palette& p = palette_of(theme);
      CHECK(p.diverging(0) == p.well);
      CHECK(contrast(p.diverging(1), p.well) >= 4.5);
      CHECK(contrast(p.diverging(-1), p.well) >= 4.5);
      double before = 1;
      for (int i = 1; i <= 32; ++i) {
        CHECK(contrast(p.diverging(-i / 32.0), p.well) > before);
        before = contrast(p.diverging(-i / 32.0), p.well);
      }
    }
  }
}
