#include "viewer/draw/attention_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/token_strip.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr Font kFont = fonts::kSub;
constexpr float kDotsWidth = 24;
constexpr double kFaintestMark = 0.04;

// Of one token in running text.
std::string running_text(const LaneView& lane, int64_t position, const TextMeasure& measure) {
  const int32_t id = lane.tokens[static_cast<size_t>(position)];
  const auto& tokenizer = lane.facts->model->tokenizer;
  return tokenizer ? shown(tokenizer->token_bytes(id), measure) : fmt::format(" {}", id);
}

// Whichever of black and white is read better on a ground.
Colour ink_on(Colour ground) {
  constexpr Colour kBlack = Colour::of(0x000000), kWhite = Colour::of(0xFFFFFF);
  return contrast(ground, kBlack) > contrast(ground, kWhite) ? kBlack : kWhite;
}

// Tokens first .. last - 1.
struct Line {
  int64_t first = 0, last = 0;
};

// The longest line that ends before token `last`, begun at a word where that is possible.
Line line_before(int64_t last, const std::vector<std::string>& texts, const std::vector<float>& widths, float room) {
  float width = 0;
  int64_t first = last, word = -1;
  while (first > 0 && width + widths[static_cast<size_t>(first - 1)] <= room) {
    --first;
    width += widths[static_cast<size_t>(first)];
    if (texts[static_cast<size_t>(first)].starts_with(' ')) word = first;
  }
  if (first == 0) return {0, last};
  if (word >= 0) return {word, last};
  return {std::min(first, last - 1), last};  // one that is too long by itself is cut when it is written
}

}  // namespace

std::vector<MarkedToken> marked_text(const AttentionScene& scene) {
  const Rect& region = scene.layout.texts;
  const int64_t lines_at_most = static_cast<int64_t>(region.height() / kMarkedLine);
  // No more tokens than there can be letters.
  const int64_t context = scene.subject.context;
  const int64_t begin = std::max<int64_t>(0, context - static_cast<int64_t>(region.width() / 3) * lines_at_most);
  std::vector<std::string> texts(static_cast<size_t>(context));
  std::vector<float> widths(static_cast<size_t>(context), region.width() + 1);
  for (int64_t position = begin; position < context; ++position) {
    std::string& text = texts[static_cast<size_t>(position)];
    text =
        shortened(running_text(scene.lane, position, scene.measure), kFont, region.width() - kDotsWidth, scene.measure);
    widths[static_cast<size_t>(position)] = scene.measure.width(kFont, text);
  }
  std::vector<Line> lines;
  for (int64_t last = context; last > 0 && std::ssize(lines) < lines_at_most; last = lines.back().first)
    lines.push_back(line_before(last, texts, widths, region.width() - kDotsWidth));
  std::reverse(lines.begin(), lines.end());

  std::vector<MarkedToken> tokens;
  float y = region.top + 4;
  for (const Line& line : lines) {
    float x = region.left + (tokens.empty() && line.first > 0 ? kDotsWidth : 0);
    for (int64_t position = line.first; position < line.last; ++position) {
      // The blank before a word is air: no marker lies on it, and no line begins with it.
      std::string text = texts[static_cast<size_t>(position)];
      const float width = widths[static_cast<size_t>(position)];
      float blank = 0;
      if (text.size() > 1 && text.front() == ' ') {
        blank = scene.measure.width(kFont, " ");
        text.erase(0, 1);
      }
      if (position == line.first) x -= blank;
      const double weight = static_cast<double>(scene.weights.at(scene.subject.head, position));
      tokens.push_back({position, text, {x + blank, y, x + width, y + kFont.size}, weight / scene.axis_top});
      x += width;
    }
    y += kMarkedLine;
  }
  return tokens;
}

void draw_marked_text(Picture& picture, const AttentionScene& scene) {
  if (scene.layout.staggered || scene.layout.texts.height() <= 0) return;
  const Palette& palette = scene.palette;
  const std::vector<MarkedToken> tokens = marked_text(scene);
  if (!tokens.empty() && tokens.front().position > 0)
    picture.text({scene.layout.texts.left, tokens.front().box.top}, "...", kFont, palette.faint, scene.layout.texts,
                 scene.measure);
  for (const MarkedToken& token : tokens) {
    const bool newest = token.position == scene.subject.context - 1;
    const bool seen = token.position >= scene.weights.first_seen;
    Colour ink = newest ? palette.text : seen ? palette.soft : palette.faint;
    if (token.strength >= kFaintestMark) {
      const Colour ground = mix(palette.background, palette.weight(1), token.strength);
      picture.rect({token.box.left, token.box.top - 1, token.box.right, token.box.bottom + 1}, ground, 2);
      ink = ink_on(ground);
    }
    picture.text({token.box.left, token.box.top}, token.text, kFont, ink, scene.layout.texts, scene.measure);
    if (newest)
      picture.rect({token.box.left, token.box.bottom + 1, token.box.right, token.box.bottom + 3}, palette.accent);
    const Role role = scene.layout.rows.front().role;
    picture.spot(fmt::format("attention.text.{}", token.position), token.box,
                 fmt::format("\"{}\" at position {} has the weight {}.",
                             token_text(scene.lane, token.position, scene.measure), with_commas(token.position),
                             weight_text(static_cast<double>(scene.weights.at(scene.subject.head, token.position)))),
                 action::Inspect{{scene.subject.lane, scene.subject.layer, role, scene.subject.kv_head(),
                                  token.position, std::nullopt}});
  }
}

}  // namespace kv::viewer
