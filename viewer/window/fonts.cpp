#include "viewer/window/fonts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/utf8_stream.h"
#include "viewer/window/glyphs.h"

namespace kv::viewer {

namespace {

// Every size of draw/text.h, each once.
constexpr std::array kUsed = {fonts::kName,      fonts::kBytes, fonts::kBody,        fonts::kBodyStrong, fonts::kSub,
                              fonts::kSubStrong, fonts::kSmall, fonts::kSmallStrong, fonts::kNumber};

const std::filesystem::path& file_of(const FontFiles& files, Face face) {
  return face == Face::mono ? files.mono : face == Face::semibold ? files.semibold : files.regular;
}

std::string_view name_of(Face face) {
  return face == Face::mono ? "JetBrains Mono" : face == Face::semibold ? "Inter Semi Bold" : "Inter";
}

}  // namespace

Fonts::Fonts(FontFiles files, std::string characters) : files_(std::move(files)), ranges_(glyph_ranges(characters)) {
  std::error_code ignored;
  for (const Face face : {Face::regular, Face::semibold, Face::mono}) {
    const std::filesystem::path& file = file_of(files_, face);
    if (file.empty()) {
      warnings_.push_back(fmt::format("the font {} is not installed here; a built-in one stands in", name_of(face)));
    } else if (!std::filesystem::is_regular_file(file, ignored)) {
      warnings_.push_back(fmt::format("{}: there is no such font file; a built-in font stands in", file.string()));
    }
  }
}

ImFont* Fonts::add(Font font, const std::vector<ImWchar>& ranges) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFontConfig config;
  config.SizePixels = font.size * scale_;
  config.PixelSnapH = false;  // advances stay proportional to the size
  config.OversampleH = 2;
  config.GlyphRanges = ranges.data();
  std::error_code ignored;
  const std::filesystem::path& file = file_of(files_, font.face);
  // Dear ImGui asserts on a file that cannot be read.
  if (!file.empty() && std::filesystem::is_regular_file(file, ignored))
    if (ImFont* face = atlas.AddFontFromFileTTF(file.c_str(), config.SizePixels, &config)) return face;
  return atlas.AddFontDefault(&config);
}

void Fonts::build(float scale) {
  scale_ = scale;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.TexDesiredWidth = 0;
  built_.clear();
  for (const Font& font : kUsed) built_.push_back({font, nullptr});
  for (Built& built : built_) built.face = add(built.font, ranges_);
  atlas.Build();
}

ImFont* Fonts::face(Font font) const {
  // A size that is none of ours is drawn with the nearest, stretched.
  const auto apart = [font](const Built& built) {
    return std::pair(built.font.face != font.face, std::abs(built.font.size - font.size));
  };
  return std::min_element(built_.begin(), built_.end(),
                          [&](const Built& a, const Built& b) { return apart(a) < apart(b); })
      ->face;
}

float Fonts::width(Font font, std::string_view text) const {
  if (text.empty()) return 0;
  constexpr float kEndless = 1e9f;
  const char* begin = text.data();
  return face(font)->CalcTextSizeA(font.size * scale_, kEndless, 0, begin, begin + text.size()).x / scale_;
}

bool Fonts::can_draw(std::string_view text) const {
  while (!text.empty()) {
    const Utf8Piece piece = first_utf8_piece(text);
    if (piece.kind != Utf8Piece::Kind::character) return false;
    const char32_t code = code_point_of(text.substr(0, piece.bytes));
    if (code > 0xFFFF) return false;
    const auto has = [code](const Built& built) {
      return built.face->FindGlyphNoFallback(static_cast<ImWchar>(code)) != nullptr;
    };
    if (!std::all_of(built_.begin(), built_.end(), has)) return false;
    text.remove_prefix(piece.bytes);
  }
  return true;
}

}  // namespace kv::viewer
