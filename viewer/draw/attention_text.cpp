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

// The tokens as running text; those before `begin` are too far back to be seen, and have none.
struct RunningText {
  std::vector<std::string> texts;
  std::vector<float> widths;

  int64_t size() const { return std::ssize(texts); }
  float width(int64_t token) const { return widths[static_cast<size_t>(token)]; }
  bool begins_word(int64_t token) const { return texts[static_cast<size_t>(token)].starts_with(' '); }
};

RunningText running_text_of(const AttentionScene& scene, int64_t begin, float room) {
  RunningText text{std::vector<std::string>(static_cast<size_t>(scene.subject.context)),
                   std::vector<float>(static_cast<size_t>(scene.subject.context), room + 1)};
  for (int64_t position = begin; position < scene.subject.context; ++position) {
    std::string& token = text.texts[static_cast<size_t>(position)];
    token = shortened(running_text(scene.lane, position, scene.measure), kFont, room, scene.measure);
    text.widths[static_cast<size_t>(position)] = scene.measure.width(kFont, token);
  }
  return text;
}

// The longest line that ends before token `last`, begun with a word where that is possible.
Line line_before(int64_t last, const RunningText& text, float room) {
  float width = 0;
  int64_t first = last, word = -1;
  while (first > 0 && width + text.width(first - 1) <= room) {
    --first;
    width += text.width(first);
    if (text.begins_word(first)) word = first;
  }
  return {first == 0 || word < 0 ? first : word, last};
}

// The longest line from token `first` on that ends before a word where that is possible.
Line line_from(int64_t first, const RunningText& text, float room) {
  float width = 0;
  int64_t last = first, word = -1;
  while (last < text.size() && width + text.width(last) <= room) {
    width += text.width(last);
    ++last;
    if (last < text.size() && text.begins_word(last)) word = last;
  }
  return {first, last == text.size() || word < 0 ? last : word};
}

// The last lines; where the whole text fits, all of it, filled from its beginning.
std::vector<Line> lines_of(const RunningText& text, float room, int64_t at_most) {
  std::vector<Line> lines;
  for (int64_t first = 0; first < text.size() && std::ssize(lines) <= at_most; first = lines.back().last)
    lines.push_back(line_from(first, text, room));
  if (std::ssize(lines) <= at_most) return lines;
  lines.clear();
  for (int64_t last = text.size(); last > 0 && std::ssize(lines) < at_most; last = lines.back().first)
    lines.push_back(line_before(last, text, room));
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::vector<MarkedToken> marked_text(const AttentionScene& scene) {
  const Rect& region = scene.layout.texts;
  const int64_t lines_at_most = static_cast<int64_t>(region.height() / kMarkedLine);
  const float room = region.width() - kDotsWidth;
  // No more tokens than there can be letters.
  const int64_t letters = static_cast<int64_t>(room / 3) * lines_at_most;
  const RunningText text = running_text_of(scene, std::max<int64_t>(0, scene.subject.context - letters), room);

  std::vector<MarkedToken> tokens;
  float y = region.top + 4;
  for (const Line& line : lines_of(text, room, lines_at_most)) {
    float x = region.left + (tokens.empty() && line.first > 0 ? kDotsWidth : 0);
    for (int64_t position = line.first; position < line.last; ++position) {
      // The blank before a word is air: no marker lies on it, and no line begins with it.
      std::string token = text.texts[static_cast<size_t>(position)];
      float blank = 0;
      if (token.size() > 1 && token.front() == ' ') {
        blank = scene.measure.width(kFont, " ");
        token.erase(0, 1);
      }
      if (position == line.first) x -= blank;
      const float right = x + text.width(position);
      const double weight = static_cast<double>(scene.weights.at(scene.subject.head, position));
      tokens.push_back({position, token, {x + blank, y, right, y + kFont.size}, weight / scene.axis_top});
      x = right;
    }
    y += kMarkedLine;
  }
  return tokens;
}

void draw_marked_text(Picture& picture, const AttentionScene& scene) {
  if (scene.layout.staggered || scene.layout.texts.height() <= 0) return;
  const Palette& palette = scene.palette;
  const Rect& region = scene.layout.texts;
  const std::vector<MarkedToken> tokens = marked_text(scene);
  if (!tokens.empty() && tokens.front().position > 0)
    picture.text({region.left, tokens.front().box.top}, "...", kFont, palette.faint, region, scene.measure);
  const auto ground_of = [&](const MarkedToken& token) {
    return mix(palette.background, palette.weight(1), token.strength);
  };
  // All markers first, so that none covers a neighbour's letters.
  for (const MarkedToken& token : tokens)
    if (token.strength >= kFaintestMark)
      picture.rect({token.box.left - 1.5f, token.box.top - 1, token.box.right + 1.5f, token.box.bottom + 1},
                   ground_of(token), 2);
  for (const MarkedToken& token : tokens) {
    const bool newest = token.position == scene.subject.context - 1;
    const bool seen = token.position >= scene.weights.first_seen;
    const Colour plain = newest ? palette.text : seen ? palette.soft : palette.faint;
    const Colour ink = token.strength >= kFaintestMark ? ink_on(ground_of(token)) : plain;
    picture.text({token.box.left, token.box.top}, token.text, kFont, ink, region, scene.measure);
    if (newest)
      picture.rect({token.box.left, token.box.bottom + 1, token.box.right, token.box.bottom + 3}, palette.accent);
    const Role role = scene.layout.rows.front().role;
    picture.spot(fmt::format("attention.text.{}", token.position), token.box,
                 fmt::format("\"{}\" at position {} has the weight {}.",
                             text_at(scene.lane, token.position, scene.measure), with_commas(token.position),
                             weight_text(static_cast<double>(scene.weights.at(scene.subject.head, token.position)))),
                 action::Inspect{{scene.subject.lane, scene.subject.layer, role, scene.subject.kv_head(),
                                  token.position, std::nullopt}});
  }
}

}  // namespace kv::viewer
