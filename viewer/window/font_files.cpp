#include "viewer/window/font_files.h"

#include <fontconfig/fontconfig.h>

#include <memory>
#include <string_view>

namespace kv::viewer {

namespace {

// The free functions take their object by plain pointer.
template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Pattern = std::unique_ptr<FcPattern, Free<FcPatternDestroy>>;
using Config = std::unique_ptr<FcConfig, Free<FcConfigDestroy>>;

const FcChar8* bytes_of(const char* text) { return reinterpret_cast<const FcChar8*>(text); }

// A font has several family names: "Inter", "Inter Semi Bold".
bool has_family(FcPattern* font, std::string_view family) {
  FcChar8* name = nullptr;
  for (int index = 0; FcPatternGetString(font, FC_FAMILY, index, &name) == FcResultMatch; ++index)
    if (family == reinterpret_cast<const char*>(name)) return true;
  return false;
}

std::filesystem::path file_of(FcConfig* config, const char* family, int weight) {
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, bytes_of(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcConfigSubstitute(config, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(config, wanted.get(), &result));
  FcChar8* file = nullptr;
  if (found == nullptr || !has_family(found.get(), family) ||
      FcPatternGetString(found.get(), FC_FILE, 0, &file) != FcResultMatch)
    return {};
  return reinterpret_cast<const char*>(file);
}

}  // namespace

FontFiles find_font_files() {
  const Config config(FcInitLoadConfigAndFonts());
  if (config == nullptr) return {};
  return {file_of(config.get(), "Inter", FC_WEIGHT_REGULAR), file_of(config.get(), "Inter", FC_WEIGHT_DEMIBOLD),
          file_of(config.get(), "JetBrains Mono", FC_WEIGHT_REGULAR)};
}

}  // namespace kv::viewer
