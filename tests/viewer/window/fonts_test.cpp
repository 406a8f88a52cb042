#include "viewer/window/fonts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/error_of.h"
#include "tests/support/imgui_frame.h"
#include "viewer/window/glyphs.h"

using namespace kv::viewer;

namespace {

struct Sizes {
  float padding, spacing, font, width;
  int atlas;
  bool operator==(const Sizes&) const = default;
};

Sizes sizes_at(Gui& gui, float scale) {
  gui.prepare(scale, Theme::dark);
  const Fonts& fonts = gui.fonts();
  return {ImGui::GetStyle().FrameRounding, ImGui::GetStyle().FramePadding.x, fonts.face(fonts::kBody)->FontSize,
          fonts.width(fonts::kBody, "After 112 tokens"), ImGui::GetIO().Fonts->TexWidth};
}

}  // namespace

TEST_SUITE("fonts") {
  TEST_CASE("scale 1, 2, 1, 2, 1 gives paddings, font sizes and the atlas back exactly") {
    Gui gui{Fonts(find_font_files(), "")};
    const Sizes one = sizes_at(gui, 1), two = sizes_at(gui, 2);
    CHECK(one.padding > 0);
    CHECK(two.padding == 2 * one.padding);
    CHECK(two.font == 2 * one.font);
    CHECK(sizes_at(gui, 1) == one);
    CHECK(sizes_at(gui, 2) == two);
    CHECK(sizes_at(gui, 1) == one);
  }

  TEST_CASE("a text is as wide at every scale") {
    for (const FontFiles& files : {find_font_files(), FontFiles{}}) {
      Gui gui{Fonts(files, "")};
      const Font used[] = {fonts::kTitle, fonts::kBytes, fonts::kSub, fonts::kSmall, fonts::kNumber};
      for (const Font& font : used) {
        gui.prepare(1, Theme::dark);
        const float width = gui.fonts().width(font, "440 KiB of 1,024 tokens, 1/8 of MHA");
        CHECK(width > 0);
        for (const float scale : {1.25f, 1.5f, 2.f, 3.f}) {
          gui.prepare(scale, Theme::dark);
          CHECK(std::abs(gui.fonts().width(font, "440 KiB of 1,024 tokens, 1/8 of MHA") - width) < 0.01f);
        }
      }
    }
  }

  TEST_CASE("a font file that does not exist is a warning, and the built-in font stands in") {
    Gui gui{Fonts({"/nonesuch/Inter.otf", "/nonesuch/Bold.otf", "/nonesuch/Mono.ttf"}, "")};
    gui.prepare(1, Theme::dark);
    REQUIRE(gui.fonts().warnings().size() == 3);
    CHECK(kv::test::names(gui.fonts().warnings()[0], "/nonesuch/Inter.otf: there is no such font file"));
    CHECK(gui.fonts().width(fonts::kBody, "text") > 0);
    CHECK(gui.fonts().can_draw("text"));
  }

  TEST_CASE("what no font has is shown as its bytes, and every broken byte too") {
    Gui gui{Fonts(find_font_files(), "")};
    gui.prepare(1, Theme::dark);
    const Fonts& fonts = gui.fonts();
    CHECK(shown("caf\xC3\xA9", fonts) == "caf\xC3\xA9");
    CHECK(shown("a\xF0\x9F\x98\x80z", fonts) == "a<F0 9F 98 80>z");            // an emoji
    CHECK(shown("\xE4\xB8\xAD\xE6\x96\x87", fonts) == "<E4 B8 AD E6 96 87>");  // two Chinese characters
    CHECK(shown("\xE4\xB8", fonts) == "<E4 B8>");                              // half of one
    CHECK(shown("\xFF\xFE", fonts) == "<FF FE>");
    CHECK_FALSE(fonts.can_draw("\xF0\x9F\x98\x80"));
    CHECK_FALSE(fonts.can_draw("\xEF\xBF\xBD"));  // U+FFFD itself was not asked for
    CHECK(fonts.can_draw(""));
  }

  TEST_CASE("letters that a vocabulary needs are drawn when the fonts have them") {
    const std::string cyrillic = "\xD0\xB6";
    Gui gui{Fonts(find_font_files(), "")};
    gui.prepare(1, Theme::dark);
    CHECK_FALSE(gui.fonts().can_draw(cyrillic));
    gui.use(Fonts(find_font_files(), cyrillic));
    gui.prepare(1, Theme::dark);
    if (gui.fonts().warnings().empty()) CHECK(gui.fonts().can_draw(cyrillic));
    CHECK(gui.fonts().can_draw("abc"));
  }

  TEST_CASE("ranges are ascending, end with 0, and hold each character that 16 bits can") {
    const std::vector<ImWchar> ranges = glyph_ranges("\xD0\xB6\xF0\x9F\x98\x80 \xFF");
    REQUIRE(ranges.size() % 2 == 1);
    CHECK(ranges.back() == 0);
    bool holds = false;
    for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
      CHECK(ranges[i] <= ranges[i + 1]);
      if (i > 0) CHECK(ranges[i] > ranges[i - 1]);
      holds |= ranges[i] <= 0x436 && ranges[i + 1] >= 0x436;
    }
    CHECK(holds);
  }
}
