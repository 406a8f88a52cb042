#include "viewer/window/palette_png.h"

#include <doctest/doctest.h>
#include <png.h>

#include <cstdlib>
#include <random>
#include <set>

#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv::viewer;
using kv::test::TemporaryFolder;

namespace {

// As libpng's own reader sees the file, which shares nothing with the writer but the library.
Pixels read_back(const std::filesystem::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, file.c_str()) != 0);
  image.format = PNG_FORMAT_RGBA;
  Pixels pixels{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  pixels.colours.resize(static_cast<size_t>(image.width) * image.height);
  REQUIRE(png_image_finish_read(&image, nullptr, pixels.colours.data(), 0, nullptr) != 0);
  return pixels;
}

Pixels random_pixels(int width, int height, uint32_t colours) {
  std::mt19937 random(7);
  Pixels pixels{width, height, {}};
  for (int i = 0; i < width * height; ++i)
    pixels.colours.push_back(0xFF000000u | (static_cast<uint32_t>(random()) % colours) * 40503u % 0x1000000u);
  return pixels;
}

int channel(uint32_t colour, int index) { return static_cast<int>(colour >> (8 * index) & 0xFF); }

}  // namespace

TEST_SUITE("palette_png") {
  TEST_CASE("a picture of at most 256 colours comes back to the pixel") {
    const TemporaryFolder folder;
    for (const uint32_t colours : {1u, 2u, 255u, 256u}) {
      const Pixels pixels = random_pixels(67, 41, colours);
      write_png(folder / "a.png", pixels);
      const Pixels back = read_back(folder / "a.png");
      CHECK(back.width == 67);
      CHECK(back.height == 41);
      CHECK(back.colours == pixels.colours);
    }
  }

  TEST_CASE("one of more colours keeps to 256, near what they were") {
    const TemporaryFolder folder;
    // A ramp in each of red, green and blue: 768 colours.
    Pixels pixels{256, 3, {}};
    for (int row = 0; row < 3; ++row)
      for (uint32_t i = 0; i < 256; ++i) pixels.colours.push_back(0xFF000000u | i << (8 * row));
    write_png(folder / "a.png", pixels);
    const Pixels back = read_back(folder / "a.png");
    CHECK(std::set<uint32_t>(back.colours.begin(), back.colours.end()).size() <= 256);
    for (size_t i = 0; i < pixels.colours.size(); ++i)
      for (int c = 0; c < 3; ++c) CHECK(std::abs(channel(back.colours[i], c) - channel(pixels.colours[i], c)) <= 4);
  }

  TEST_CASE("a small mark keeps its hue beside a large ground of many colours") {
    constexpr uint32_t kMark = 0xFFE9B4CCu;
    Pixels pixels{200, 200, {}};
    for (uint32_t i = 0; i < 40'000; ++i) pixels.colours.push_back(0xFF000000u | (i % 4096) << 4 | 0x400000u);
    pixels.colours[777] = kMark;  // nothing else is violet
    const IndexedPixels few = indexed(pixels);
    const uint32_t mark = few.palette[few.indices[777]];
    for (int c = 0; c < 3; ++c) CHECK(std::abs(channel(mark, c) - channel(kMark, c)) <= 12);
  }

  TEST_CASE("frequent colours stay as they are, to the bit, among many rare ones") {
    // Background and panel, light and dark, which lie near each other; every third pixel is of a colour of its own.
    for (const auto& grounds : {std::pair{0xFFF7FAFAu, 0xFFFFFFFFu}, {0xFF18130Fu, 0xFF231C17u}}) {
      std::mt19937 random(11);
      Pixels pixels{300, 200, {}};
      for (int i = 0; i < 60'000; ++i)
        pixels.colours.push_back(i % 3 == 0   ? 0xFF000000u | static_cast<uint32_t>(random())
                                 : i < 40'000 ? grounds.first
                                              : grounds.second);
      const IndexedPixels few = indexed(pixels);
      CHECK(few.palette.size() <= 256);
      for (size_t i = 0; i < pixels.colours.size(); ++i)
        if (i % 3 != 0) REQUIRE(few.palette[few.indices[i]] == pixels.colours[i]);
    }
  }

  TEST_CASE("equal pixels give equal files") {
    const TemporaryFolder folder;
    write_png(folder / "a.png", random_pixels(50, 50, 2000));
    write_png(folder / "b.png", random_pixels(50, 50, 2000));
    CHECK(kv::test::read_whole_file(folder / "a.png") == kv::test::read_whole_file(folder / "b.png"));
  }

  TEST_CASE("a file that cannot be written is named, and nothing is left of it") {
    const TemporaryFolder folder;
    const auto error =
        kv::test::error_of<std::runtime_error>([&] { write_png(folder / "none" / "a.png", random_pixels(2, 2, 2)); });
    CHECK(kv::test::names(error, "none/a.png: the picture cannot be written: No such file or directory"));
    std::filesystem::create_directory(folder / "b.png");
    folder.write("b.png/inside", "");
    CHECK_THROWS_AS(write_png(folder / "b.png", random_pixels(2, 2, 2)), std::runtime_error);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  }
}
