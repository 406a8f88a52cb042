// FontFiles: where the faces of this program lie on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace kv::viewer {

// Empty: there is none, and Dear ImGui's built-in font stands in.
struct FontFiles {
  std::filesystem::path regular, semibold, mono;
};

// Inter and JetBrains Mono, asked of fontconfig. It always answers with something, so the family that comes back is
// compared; another font than these would change every width.
FontFiles find_font_files();

}  // namespace kv::viewer
