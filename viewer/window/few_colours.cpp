// A picture of many colours in 256 of them.
//
// The most frequent colours stay as they are: two grounds that differ by little, and the edge between them, are what a
// reader sees first. The rest is merged: boxes of colours are halved, always the widest (after Heckbert, "Color image
// quantization for frame buffer display", SIGGRAPH 1982); then each colour goes to the nearest of the boxes' means and
// the kept colours, and the means move to their colours, a few times (Lloyd's algorithm). How often a colour occurs
// counts by its square root only: small marks keep their hue, which means something here.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "viewer/window/palette_png.h"

namespace kv::viewer {

namespace {

constexpr size_t kMostColours = 256, kKept = 64;
constexpr int kRounds = 6;

using Channels = std::array<double, 3>;  // red, green, blue, 0..255

struct Counted {
  uint32_t colour;
  Channels channels;
  double weight;
};

// A range of the list of colours.
struct Box {
  size_t first, end;
  size_t channel = 0;  // in which it is widest
  double width = 0;
};

double squared_distance(const Channels& a, const Channels& b) {
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// In ascending order, so that equal pictures give equal palettes.
std::vector<Counted> colours_of(const Pixels& pixels) {
  std::unordered_map<uint32_t, int64_t> counts;
  for (const uint32_t colour : pixels.colours) ++counts[colour | 0xFF000000u];
  std::vector<Counted> colours;
  for (const auto& [colour, count] : counts) {
    const auto channel = [c = colour](int shift) { return static_cast<double>(c >> shift & 0xFF); };
    colours.push_back({colour, {channel(0), channel(8), channel(16)}, std::sqrt(static_cast<double>(count))});
  }
  std::sort(colours.begin(), colours.end(), [](const Counted& a, const Counted& b) { return a.colour < b.colour; });
  return colours;
}

// The kept colours first, by how often they occur.
void bring_frequent_first(std::vector<Counted>& colours) {
  std::partial_sort(colours.begin(), colours.begin() + static_cast<ptrdiff_t>(kKept), colours.end(),
                    [](const Counted& a, const Counted& b) {
                      return std::pair(-a.weight, a.colour) < std::pair(-b.weight, b.colour);
                    });
}

Box box_of(const std::vector<Counted>& colours, size_t first, size_t end) {
  Box box{first, end};
  for (size_t channel = 0; channel < 3; ++channel) {
    double least = 255, most = 0;
    for (size_t i = first; i < end; ++i) {
      least = std::min(least, colours[i].channels[channel]);
      most = std::max(most, colours[i].channels[channel]);
    }
    if (most - least > box.width) box.channel = channel, box.width = most - least;
  }
  return box;
}

// The mean of the colours of a list, by weight.
Channels mean_of(const std::vector<const Counted*>& colours) {
  Channels mean{};
  double weight = 0;
  for (const Counted* colour : colours) {
    weight += colour->weight;
    for (size_t i = 0; i < 3; ++i) mean[i] += colour->weight * colour->channels[i];
  }
  for (double& channel : mean) channel /= weight;
  return mean;
}

// Of the colours behind the kept ones; a box is halved at the middle of what it spans.
std::vector<Channels> means_of_boxes(std::vector<Counted>& colours) {
  std::vector<Box> boxes = {box_of(colours, kKept, colours.size())};
  while (boxes.size() < kMostColours - kKept) {
    Box& widest =
        *std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.width < b.width; });
    const Box box = widest;
    const auto begin = colours.begin() + static_cast<ptrdiff_t>(box.first);
    const auto end = colours.begin() + static_cast<ptrdiff_t>(box.end);
    std::sort(begin, end, [&](const Counted& a, const Counted& b) {
      return std::pair(a.channels[box.channel], a.colour) < std::pair(b.channels[box.channel], b.colour);
    });
    const double middle = begin->channels[box.channel] + box.width / 2;
    const auto upper = std::find_if(begin, end, [&](const Counted& c) { return c.channels[box.channel] > middle; });
    const auto split = static_cast<size_t>(upper - colours.begin());
    widest = box_of(colours, box.first, split);
    boxes.push_back(box_of(colours, split, box.end));
  }
  std::vector<Channels> means;
  for (const Box& box : boxes) {
    std::vector<const Counted*> members;
    for (size_t i = box.first; i < box.end; ++i) members.push_back(&colours[i]);
    means.push_back(mean_of(members));
  }
  return means;
}

size_t nearest(const std::vector<Channels>& means, const Channels& to) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < means.size(); ++i)
    if (const double distance = squared_distance(means[i], to); distance < least) least = distance, best = i;
  return best;
}

// The first kKept stay: what is near them does not move them.
void move_means(std::vector<Channels>& means, const std::vector<Counted>& colours) {
  std::vector<std::vector<const Counted*>> members(means.size());
  for (const Counted& colour : colours) members[nearest(means, colour.channels)].push_back(&colour);
  for (size_t i = kKept; i < means.size(); ++i)
    if (!members[i].empty()) means[i] = mean_of(members[i]);
}

uint32_t packed(const Channels& channels) {
  uint32_t colour = 0xFF000000u;
  for (size_t i = 0; i < 3; ++i) colour |= static_cast<uint32_t>(std::lround(channels[i])) << (8 * i);
  return colour;
}

}  // namespace

IndexedPixels indexed(const Pixels& pixels) {
  std::vector<Counted> colours = colours_of(pixels);
  IndexedPixels picture;
  std::unordered_map<uint32_t, uint8_t> index_of;
  if (colours.size() <= kMostColours) {
    for (const Counted& colour : colours) {
      index_of[colour.colour] = static_cast<uint8_t>(picture.palette.size());
      picture.palette.push_back(colour.colour);
    }
  } else {
    bring_frequent_first(colours);
    std::vector<Channels> means;
    for (size_t i = 0; i < kKept; ++i) means.push_back(colours[i].channels);
    const std::vector<Channels> merged = means_of_boxes(colours);
    means.insert(means.end(), merged.begin(), merged.end());
    for (int round = 0; round < kRounds; ++round) move_means(means, colours);
    for (const Counted& colour : colours)
      index_of[colour.colour] = static_cast<uint8_t>(nearest(means, colour.channels));
    for (const Channels& mean : means) picture.palette.push_back(packed(mean));
  }
  picture.indices.reserve(pixels.colours.size());
  for (const uint32_t colour : pixels.colours) picture.indices.push_back(index_of.at(colour | 0xFF000000u));
  return picture;
}

}  // namespace kv::viewer
