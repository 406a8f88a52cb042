// PNG files with at most 256 colours, by libpng: a third of the size of true colour, and what is flat stays flat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace kv::viewer {

// [height][width], red in the lowest byte; opaque.
struct Pixels {
  int width = 0, height = 0;
  std::vector<uint32_t> colours;
};

struct IndexedPixels {
  std::vector<uint32_t> palette;  // at most 256
  std::vector<uint8_t> indices;   // [height][width]
};
// Exact when the picture has at most 256 colours, else the frequent ones exact and the rest near (few_colours.cpp).
// Equal pixels give equal files.
IndexedPixels indexed(const Pixels& pixels);

// Whole or not at all. Throws std::runtime_error that names the file.
void write_png(const std::filesystem::path& file, const Pixels& pixels);

}  // namespace kv::viewer
