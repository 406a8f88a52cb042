#include "viewer/draw/attention_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "viewer/draw/attention_bars.h"
#include "viewer/draw/attention_columns.h"
#include "viewer/draw/attention_ranking.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kNumbers = 22;     // width of the heads' numbers, left of the map
constexpr float kFan = 30;         // of the lines
constexpr float kStored = 10;      // of the squares that stand for K and V
constexpr float kLabelApart = 15;  // numbers stand no closer

Rect rows_of(const AttentionLayout& layout, int64_t first, int64_t last) {
  const Rect &a = layout.heads[static_cast<size_t>(first)], &b = layout.heads[static_cast<size_t>(last)];
  return {a.left, a.top, a.right, b.bottom};
}

Rect rows_of_kv_head(const AttentionSubject& subject, const AttentionLayout& layout, int64_t kv_head) {
  const int64_t first = kv_head * subject.heads_per_kv_head();
  return rows_of(layout, first, first + subject.heads_per_kv_head() - 1);
}

// Right and middle of the squares of a KV head.
Point stored_at(const AttentionSubject& subject, const AttentionLayout& layout, const Rect& names, int64_t kv_head) {
  return {names.right - kNumbers - kFan, rows_of_kv_head(subject, layout, kv_head).centre().y};
}

// The bars of one head, colour by weight; equal neighbours in one piece where there are no gaps.
void draw_row(Picture& picture, const AttentionScene& scene, int64_t head, const std::vector<ColumnRun>& runs) {
  const AttentionSubject& subject = scene.subject;
  const AttentionWeights& weights = scene.weights;
  const AttentionLayout& layout = scene.layout;
  const Rect& row = layout.heads[static_cast<size_t>(head)];
  std::optional<FilledRect> piece;
  for (const ColumnRun& run : runs) {
    float weight = -1;
    for (int64_t column = run.first; column < run.last; ++column)
      if (const int64_t position = subject.position_in(column); position >= weights.first_seen)
        weight = std::max(weight, weights.at(head, position));
    if (weight < 0) {
      if (piece) picture.shapes.push_back(*piece);
      piece.reset();
      continue;
    }
    const Colour colour = scene.palette.weight(colour_place(static_cast<double>(weight), scene.colour_top));
    if (piece && !layout.axis.separated() && piece->colour == colour) {
      piece->box.right = run.right;
      continue;
    }
    if (piece) picture.shapes.push_back(*piece);
    piece = FilledRect{{run.left, row.top, run.right - layout.axis.gap(), row.bottom}, colour, 0};
  }
  if (piece) picture.shapes.push_back(*piece);
}

// Positions that the newest token does not see: an edge where they are stored, hatched where they are not.
void draw_unseen(Picture& picture, const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const AttentionWeights& weights = scene.weights;
  const AttentionLayout& layout = scene.layout;
  const Rect all = rows_of(layout, 0, subject.heads - 1);
  const auto look = [&](int64_t column) {
    const int64_t position = subject.position_in(column);
    return position < 0 || position >= weights.first_seen ? 0 : position >= subject.first_kept ? 1 : 2;
  };
  const int64_t columns = std::min(subject.columns(), static_cast<int64_t>(layout.axis.tokens));
  for (int64_t first = 0; first < columns;) {
    int64_t last = first;
    while (last < columns && look(last) == look(first)) ++last;
    const Rect box{layout.axis.x_of(first), all.top, layout.axis.x_of(last), all.bottom};
    if (look(first) == 1) picture.outline(box.inset(0.5f), scene.palette.faint);
    if (look(first) == 2) draw_hatching(picture, box, scene.palette.faint.faded(0.6));
    first = last;
  }
}

void draw_stored_marks(Picture& picture, const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const AttentionLayout& layout = scene.layout;
  const Palette& palette = scene.palette;
  const Rect& names = scene.names;
  float last_label = -100;
  for (int64_t kv_head = 0; kv_head < subject.kv_heads; ++kv_head) {
    const Point at = stored_at(subject, layout, names, kv_head);
    const float half = std::min(6.f, std::max(1.f, rows_of_kv_head(subject, layout, kv_head).height() / 2 - 0.5f));
    const Role upper = subject.latent ? Role::latent : Role::key;
    const Role lower = subject.latent ? Role::rope_key : Role::value;
    const float cut = at.y + (subject.latent ? half / 2 : 0);
    picture.rect({at.x - kStored, at.y - half, at.x, cut}, palette.role(upper));
    picture.rect({at.x - kStored, cut, at.x, at.y + half}, palette.role(lower));
    const bool chosen = kv_head == subject.kv_head();
    if (at.y - last_label < kLabelApart) continue;
    last_label = at.y;
    picture.text({at.x - kStored - 5, at.y - fonts::kSmall.size / 2},
                 subject.latent ? "latent" : fmt::format("KV {}", kv_head),
                 chosen ? fonts::kSmallStrong : fonts::kSmall, chosen ? palette.text : palette.faint, names,
                 scene.measure, Align::right);
  }
}

// Numbers where they have room; the chosen one always.
void draw_numbers(Picture& picture, const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const AttentionLayout& layout = scene.layout;
  const Palette& palette = scene.palette;
  const Rect& names = scene.names;
  const auto middle = [&](int64_t head) { return layout.heads[static_cast<size_t>(head)].centre().y; };
  float last = -100;
  for (int64_t head = 0; head < subject.heads; ++head) {
    const bool chosen = head == subject.head;
    const bool near_chosen = !chosen && std::abs(middle(head) - middle(subject.head)) < kLabelApart - 0.5f;
    if (near_chosen || (!chosen && middle(head) - last < kLabelApart - 0.5f)) continue;
    last = middle(head);
    picture.text({names.right, middle(head) - fonts::kSmall.size / 2}, std::to_string(head),
                 chosen ? fonts::kSmallStrong : fonts::kSmall, chosen ? palette.text : palette.faint, names,
                 scene.measure, Align::right);
  }
}

// From right to left: the number at the bright end, half of the colours, the number at their middle, the other half, 0.
float draw_legend(Picture& picture, const AttentionScene& scene) {
  const Rect& title = scene.layout.heads_title;
  constexpr int kSteps = 16;  // of each half
  constexpr float kHalf = 40;
  float right = title.right;
  for (int half = 2; half >= 0; --half) {
    const double place = half / 2.0;  // among the colours
    const std::string text = tick_text(place * place * scene.colour_top);
    const Rect box =
        picture.text({right, title.top}, text, fonts::kSmall, scene.palette.faint, title, scene.measure, Align::right);
    right = box.left - 6;
    for (int i = 0; half > 0 && i < kSteps; ++i) {
      const float width = kHalf / kSteps, x = right - kHalf + width * static_cast<float>(i);
      picture.rect({x, title.top + 4, x + width, title.top + 12},
                   scene.palette.weight(place - 0.5 + (i + 0.5) / (2 * kSteps)));
    }
    if (half > 0) right -= kHalf + 6;
  }
  return right;
}

void draw_title(Picture& picture, const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const Rect& title = scene.layout.heads_title;
  const float right = draw_legend(picture, scene);
  const int64_t heads = subject.heads, each = subject.heads_per_kv_head();
  const std::string shares = heads == 1       ? " reads all that is stored"
                             : subject.latent ? " share one latent and one rope key"
                             : each == heads  ? " share one K and V"
                             : each == 1      ? ", each with a K and V of its own"
                                              : fmt::format(", {} share a K and V", each);
  const std::string all = count_of(heads, "query head");
  const float room = right - 12 - title.left;
  for (const std::string& text : {fmt::format("Layer {}: {}{}", subject.layer, all, shares), all + shares, all})
    if (scene.measure.width(fonts::kSmall, text) <= room) {
      picture.text({title.left, title.top}, text, fonts::kSmall, scene.palette.soft, title, scene.measure);
      return;
    }
}

void draw_sharing(Picture& picture, const AttentionScene& scene) {
  for (const bool chosen : {false, true})
    for (const SharingLine& line : sharing_lines(scene.subject, scene.layout, scene.names))
      if ((line.head == scene.subject.head) == chosen)
        picture.line({line.from.x + 2, line.from.y}, {line.to.x - 2, line.to.y},
                     chosen ? scene.palette.text : scene.palette.faint, chosen ? 1.5f : 1);
}

std::string words_of_head(const AttentionScene& scene, int64_t head) {
  const AttentionSubject& subject = scene.subject;
  const std::string stored = subject.latent ? "the latents" : fmt::format("KV head {}", subject.kv_head_of(head));
  return fmt::format("Query head {} of layer {} reads {}. Its largest weight is {}.", head, subject.layer, stored,
                     weight_text(static_cast<double>(largest_weight(scene.weights, head))));
}

}  // namespace

std::vector<SharingLine> sharing_lines(const AttentionSubject& subject, const AttentionLayout& layout,
                                       const Rect& names) {
  std::vector<SharingLine> lines;
  for (int64_t head = 0; head < subject.heads; ++head) {
    const int64_t kv_head = subject.kv_head_of(head);
    lines.push_back({head,
                     kv_head,
                     stored_at(subject, layout, names, kv_head),
                     {names.right - kNumbers, layout.heads[static_cast<size_t>(head)].centre().y}});
  }
  return lines;
}

void draw_attention_heads(Picture& picture, const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const AttentionLayout& layout = scene.layout;
  const Palette& palette = scene.palette;
  const Rect& names = scene.names;
  draw_title(picture, scene);
  const std::vector<ColumnRun> runs = runs_of_columns(layout.axis, subject.columns());
  for (int64_t head = 0; head < subject.heads; ++head) {
    picture.rect(well_of(layout.heads[static_cast<size_t>(head)], scene), palette.well);
    draw_row(picture, scene, head, runs);
  }
  draw_unseen(picture, scene);
  draw_sharing(picture, scene);
  draw_stored_marks(picture, scene);
  draw_numbers(picture, scene);
  const Rect& chosen = layout.heads[static_cast<size_t>(subject.head)];
  picture.outline({chosen.left - 1, chosen.top - 1, chosen.right + 1, chosen.bottom + 1}, palette.text, 1.5f);

  for (int64_t head = 0; head < subject.heads; ++head) {
    const Rect& row = layout.heads[static_cast<size_t>(head)];
    // Up to the next row, so that no point between two rows is nobody's.
    const float bottom = head + 1 < subject.heads ? layout.heads[static_cast<size_t>(head + 1)].top : row.bottom;
    picture.spot(fmt::format("attention.head.{}", head), {names.right - kNumbers, row.top, row.right, bottom},
                 words_of_head(scene, head), action::SelectHead{head});
  }
}

}  // namespace kv::viewer
