#include "viewer/window/palette_png.h"

#include <fmt/format.h>
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace kv::viewer {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// libpng reports errors by longjmp or by a function that does not return; an exception may pass through it, since
// nothing between has a destructor.
[[noreturn]] void fail(png_structp, png_const_charp what) { throw std::runtime_error(what); }

struct Writer {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, nullptr);
  png_infop info = png_create_info_struct(png);
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

void write(std::FILE* file, const Pixels& pixels, const IndexedPixels& picture) {
  Writer writer;
  png_init_io(writer.png, file);
  const auto width = static_cast<png_uint_32>(pixels.width), height = static_cast<png_uint_32>(pixels.height);
  png_set_IHDR(writer.png, writer.info, width, height, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> palette;
  for (const uint32_t colour : picture.palette)
    palette.push_back(
        {static_cast<png_byte>(colour), static_cast<png_byte>(colour >> 8), static_cast<png_byte>(colour >> 16)});
  png_set_PLTE(writer.png, writer.info, palette.data(), static_cast<int>(palette.size()));
  png_set_compression_level(writer.png, 9);
  png_write_info(writer.png, writer.info);
  for (size_t row = 0; row < height; ++row) png_write_row(writer.png, picture.indices.data() + row * width);
  png_write_end(writer.png, nullptr);
}

}  // namespace

void write_png(const std::filesystem::path& file, const Pixels& pixels) {
  const auto cannot = [&](const std::string& why) {
    return std::runtime_error(fmt::format("{}: the picture cannot be written: {}", file.string(), why));
  };
  // A picture takes the place of a file, never of a device; through a link it takes the place of what that leads to.
  std::error_code none;
  if (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
    throw cannot("that is no regular file");
  const std::filesystem::path target = std::filesystem::exists(file, none) ? std::filesystem::canonical(file) : file;
  const std::string draft = fmt::format("{}.{}", target.string(), ::getpid());
  try {
    std::unique_ptr<std::FILE, Close> stream(std::fopen(draft.c_str(), "wb"));
    if (stream == nullptr) throw std::runtime_error(std::generic_category().message(errno));
    write(stream.get(), pixels, indexed(pixels));
    if (std::fclose(stream.release()) != 0) throw std::runtime_error(std::generic_category().message(errno));
    std::filesystem::rename(draft, target);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(draft);
    throw cannot(error.code().message());
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    throw cannot(error.what());
  }
}

}  // namespace kv::viewer
