#include "viewer/draw/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "viewer/draw/growth_texels.h"
#include "viewer/session/kv_store.h"

namespace kv::viewer {

namespace {

constexpr double kSlack = 1e-6;      // of a token: 3 x 4/3 is 4
constexpr double kOtherHead = 0.10;  // how much darker every second head is

std::vector<Strip> strips_of_lane(const LaneLayout& layout) {
  std::vector<Strip> strips;
  for (const Band& band : layout.bands) strips.insert(strips.end(), band.strips.begin(), band.strips.end());
  return strips;
}

// Of each layer of a strip: its largest RMS among the first `context` positions.
std::vector<float> largest_of(const KvStore& store, const Strip& strip, int64_t context) {
  std::vector<float> largest;
  for (int64_t layer = strip.first_layer; layer < strip.first_layer + strip.layers; ++layer)
    largest.push_back(store.largest_rms(layer, strip.role, context));
  return largest;
}

// What a strip's texels are made of: the RMS of each of its layers' heads, by position.
using Sources = std::vector<std::vector<std::span<const float>>>;  // [layers][heads][positions]
Sources sources_of(const KvStore& store, const Strip& strip) {
  Sources sources;
  for (int64_t layer = strip.first_layer; layer < strip.first_layer + strip.layers; ++layer) {
    std::vector<std::span<const float>>& heads = sources.emplace_back();
    for (int64_t head = strip.first_head; head < strip.first_head + strip.heads; ++head)
      heads.push_back(store.rms(layer, strip.role, head));
  }
  return sources;
}

// `largest` of each layer.
float strength_of(const Sources& sources, std::span<const float> largest, Bin bin) {
  const auto first = static_cast<size_t>(bin.first), tokens = static_cast<size_t>(bin.last - bin.first);
  double sum = 0;
  for (size_t layer = 0; layer < sources.size(); ++layer) {
    if (!(largest[layer] > 0)) continue;
    double of_layer = 0;
    for (const std::span<const float> head : sources[layer])
      for (const float rms : head.subspan(first, tokens)) of_layer += static_cast<double>(rms);
    sum += of_layer / static_cast<double>(largest[layer]);
  }
  return static_cast<float>(sum / static_cast<double>(sources.size() * sources.front().size() * tokens));
}

// The bin, as far as there are tokens.
Bin stored_part(int64_t column, double tokens_per_column, int64_t context) {
  Bin bin = bin_of(column, tokens_per_column);
  bin.last = std::min(bin.last, context);
  return bin;
}

// The column in which a position stands.
int64_t column_of(int64_t position, double tokens_per_column) {
  auto column = static_cast<int64_t>(static_cast<double>(position) / tokens_per_column);
  while (bin_of(column, tokens_per_column).last <= position) ++column;
  while (column > 0 && bin_of(column, tokens_per_column).first > position) --column;
  return column;
}

}  // namespace

Bin bin_of(int64_t column, double tokens_per_column) {
  const auto begin = [&](int64_t c) {
    return static_cast<int64_t>(std::floor(static_cast<double>(c) * tokens_per_column + kSlack));
  };
  return {begin(column), begin(column + 1)};
}

int64_t columns_of(int64_t context, double tokens_per_column) {
  return context == 0 ? 0 : column_of(context - 1, tokens_per_column) + 1;
}

double tokens_per_column(const TokenAxis& axis) { return std::max(1.0, 1 / axis.token_width()); }

HeatMap heat_map_of(const LaneView& lane, const LaneLayout& layout, int64_t context, double tokens_per_column) {
  const std::vector<Strip> strips = strips_of_lane(layout);
  HeatMap map;
  map.columns = static_cast<int>(columns_of(context, tokens_per_column));
  map.rows = static_cast<int>(strips.size());
  for (const Strip& strip : strips) {
    const std::vector<float> largest = largest_of(*lane.store, strip, context);
    const Sources sources = sources_of(*lane.store, strip);
    for (int64_t column = 0; column < map.columns; ++column)
      map.strengths.push_back(strength_of(sources, largest, stored_part(column, tokens_per_column, context)));
  }
  return map;
}

namespace {

constexpr int kLevels = 255;  // of a shade, above the palest: as many as bytes can tell apart

// A role's shades from weak to strong, computed once: there are far more texels than shades.
using Shades = std::array<uint32_t, kLevels + 1>;
struct ShadesOfRole {
  Shades plain, darker;
};

ShadesOfRole shades_of(const Palette& palette, Role role) {
  ShadesOfRole shades;
  for (int level = 0; level <= kLevels; ++level) {
    const Colour shade = palette.shade(role, static_cast<double>(level) / kLevels);
    shades.plain[static_cast<size_t>(level)] = shade.rgba();
    shades.darker[static_cast<size_t>(level)] = mix(shade, Colour{}, kOtherHead).rgba();
  }
  return shades;
}

uint32_t shade_in(const Shades& shades, float strength) {
  const float level = std::clamp(strength, 0.f, 1.f) * static_cast<float>(kLevels) + 0.5f;
  return shades[static_cast<size_t>(level)];
}

}  // namespace

struct HeatMaps::Kept {
  TexelsKey key;
  std::map<Role, ShadesOfRole> shades;      // in the key's colours
  std::vector<std::vector<float>> largest;  // [strips][layers]
  Texels texels;
  uint64_t version = 0;
};

Image HeatMaps::image_of(const LaneView& lane, int index, const LaneLayout& layout, int64_t context,
                         double tokens_per_column, const Palette& palette) {
  std::shared_ptr<Kept>& kept = kept_[index];
  if (!kept) kept = std::make_shared<Kept>();
  TexelsKey key(lane, strips_of_lane(layout), context, tokens_per_column, 1, palette);
  const bool agrees = key.agrees(kept->key);
  const int64_t common = agrees ? key.common_tokens(kept->key) : 0;
  const int64_t columns = columns_of(context, tokens_per_column);
  Texels& texels = kept->texels;
  if (!agrees) {
    texels.width = key.width;
    texels.height = static_cast<int>(key.strips.size());
    texels.colours.assign(static_cast<size_t>(texels.width) * key.strips.size(), 0);
    kept->largest.assign(key.strips.size(), {});
    kept->shades.clear();
    for (const Strip& strip : key.strips)
      if (!kept->shades.contains(strip.role)) kept->shades[strip.role] = shades_of(palette, strip.role);
  }
  const int64_t old_columns = agrees ? columns_of(kept->key.context(), tokens_per_column) : 0;
  const bool same_tokens = agrees && common == context && common == kept->key.context();
  if (!same_tokens) {
    for (size_t row = 0; row < key.strips.size(); ++row) {
      const Strip& strip = key.strips[row];
      std::vector<float> largest = largest_of(*lane.store, strip, context);
      const Sources sources = sources_of(*lane.store, strip);
      const bool rescaled = largest != kept->largest[row];
      const bool darker = strip.heads == 1 && strip.first_head % 2 == 1;
      const ShadesOfRole& of_role = kept->shades.at(strip.role);
      const Shades& shades = darker ? of_role.darker : of_role.plain;
      uint32_t* colours = texels.colours.data() + row * static_cast<size_t>(texels.width);
      for (int64_t column = rescaled ? 0 : column_of(common, tokens_per_column); column < columns; ++column) {
        const Bin bin = stored_part(column, tokens_per_column, context);
        colours[column] = shade_in(shades, strength_of(sources, largest, bin));
      }
      std::fill(colours + columns, colours + std::max(columns, old_columns), 0u);
      kept->largest[row] = std::move(largest);
    }
    kept->version = ++versions_;
  }
  kept->key = std::move(key);
  return {&texels, static_cast<uint64_t>(index) + 1, kept->version, {}, {0, 0, 1, 1}, {255, 255, 255}};
}

}  // namespace kv::viewer
