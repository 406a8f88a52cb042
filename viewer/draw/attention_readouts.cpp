#include "viewer/draw/attention_readouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/work.h"
#include "viewer/draw/attention_choices.h"
#include "viewer/draw/token_strip.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kRow = 18, kTitle = 24, kBlockGap = 18, kChoices = 30;
constexpr float kNumbers = 68, kRank = 18;  // widths of the table's outer columns

// Writes rows downwards.
struct Writer {
  Picture& picture;
  const AttentionScene& scene;
  Rect region;
  float y;

  Rect write(float x, std::string_view text, Font font, Colour colour, Align align = Align::left) {
    return picture.text({x, y}, text, font, colour, region, scene.measure, align);
  }
  void rule() { picture.line({region.left, y - kBlockGap / 2}, {region.right, y - kBlockGap / 2}, scene.palette.line); }
  void title(std::string_view text) {
    write(region.left, text, fonts::kSubStrong, scene.palette.text);
    y += kTitle;
  }
  // What a number is, and the number; a triangle at the right end when it is predicted.
  void row(std::string_view name, std::string_view number, bool predicted = false, Colour mark = {}) {
    if (predicted) {
      const float x = region.right - 4, top = y + 4;
      picture.shapes.push_back(Polyline{{{x - 4, top + 8}, {x, top}, {x + 4, top + 8}, {x - 4, top + 8}}, mark, 1});
    }
    const float right = region.right - (predicted ? 16.f : 0.f);
    const Rect box = write(right, number, fonts::kNumber, scene.palette.text, Align::right);
    write(region.left, shortened(name, fonts::kSmall, box.left - 8 - region.left, scene.measure), fonts::kSmall,
          scene.palette.soft);
    y += kRow;
  }
};

std::string heads_text(int64_t first, int64_t count) {
  if (count == 1) return fmt::format("head {}", first);
  return fmt::format("heads {} {} {}", first, count == 2 ? "and" : "to", first + count - 1);
}

void write_most_read(Writer& out, int64_t rows) {
  const AttentionScene& scene = out.scene;
  const Rect& region = out.region;
  out.write(region.right, "weight", fonts::kSmall, scene.palette.faint, Align::right);
  out.write(region.right - kNumbers, "position", fonts::kSmall, scene.palette.faint, Align::right);
  out.title("Most read");
  double rest = 1;
  for (int64_t rank = 0; rank < rows; ++rank) {
    const ReadToken& token = scene.most[static_cast<size_t>(rank)];
    rest -= static_cast<double>(token.weight);
    const float top = out.y;
    out.write(region.left, std::to_string(rank + 1), fonts::kSmallStrong, scene.palette.text);
    out.write(region.right, weight_text(static_cast<double>(token.weight)), fonts::kNumber, scene.palette.text,
              Align::right);
    const Rect position = out.write(region.right - kNumbers, with_commas(token.position), fonts::kNumber,
                                    scene.palette.soft, Align::right);
    const std::string text = text_at(scene.lane, token.position, scene.measure);
    const float left = region.left + kRank;
    out.write(left, shortened(text, fonts::kSmall, position.left - 8 - left, scene.measure), fonts::kSmall,
              scene.palette.text);
    out.y += kRow;
    const Role role = scene.subject.latent ? Role::latent : Role::key;
    out.picture.spot(fmt::format("attention.most.{}", rank + 1), {region.left, top, region.right, top + kRow},
                     fmt::format("\"{}\" at position {} has the weight {}.", text, with_commas(token.position),
                                 weight_text(static_cast<double>(token.weight))),
                     action::Inspect{{scene.subject.lane, scene.subject.layer, role, scene.subject.kv_head(),
                                      token.position, std::nullopt}});
  }
  const int64_t others = scene.weights.context - scene.weights.first_seen - rows;
  if (others == 0) return;
  out.write(region.right, weight_text(std::max(rest, 0.0)), fonts::kNumber, scene.palette.soft, Align::right);
  out.write(region.left + kRank, count_of(others, "other"), fonts::kSmall, scene.palette.soft);
  out.y += kRow;
}

void write_what_is_read(Writer& out) {
  const AttentionScene& scene = out.scene;
  const AttentionSubject& subject = scene.subject;
  out.rule();
  out.title(fmt::format("Head {} reads", subject.head));
  out.row(subject.latent ? "latents, rope keys" : fmt::format("K and V of KV head {}", subject.kv_head()),
          with_commas(scene.weights.context - scene.weights.first_seen) + " each");
  // Without the cache they are computed, read and dropped within the step: no stored byte is read.
  if (scene.view.cache_on)
    out.row("bytes", bytes_text(bytes_read_by_head(scene.lane, subject, scene.weights)));
  else
    out.row("kept for the next step", bytes_text(0));
  const int64_t sharing = subject.heads_per_kv_head();
  out.row("read by", heads_text(subject.kv_head() * sharing, sharing) + (sharing == 1 ? " alone" : ""));
}

std::vector<std::string> what_a_form_does(const Writer& out) {
  const bool absorbed = out.scene.view.form == cpu::LatentForm::absorbed, cache_on = out.scene.view.cache_on;
  const char* words =
      absorbed && cache_on
          ? "Absorbed: each query is turned into the latent space and meets the stored latents as they are."
      : absorbed ? "Absorbed: each query is turned into the latent space and meets latents that are computed anew."
      : cache_on ? "Materialised: K and V of each head are built again from all stored latents, in each step."
                 : "Materialised: all latents are computed anew, and K and V of each head are built from them.";
  return wrapped(words, fonts::kSmall, out.region.width(), out.scene.measure);
}

void write_forms(Writer& out, AttentionMemory& memory, bool sentence) {
  using cpu::LatentForm;
  const AttentionScene& scene = out.scene;
  out.rule();
  out.title("Two forms, one result");
  const std::vector<AttentionChoice> forms = {
      {"attention.form.absorbed", "absorbed", "Compute latent attention in its absorbed form.",
       action::UseForm{LatentForm::absorbed}, scene.view.form == LatentForm::absorbed},
      {"attention.form.materialised", "materialised", "Compute latent attention in its materialised form.",
       action::UseForm{LatentForm::materialised}, scene.view.form == LatentForm::materialised}};
  draw_choices(out.picture, forms, {out.region.left, out.y}, out.region.width() / 2 + 20, out.region, scene.palette,
               scene.measure);
  out.y += kChoices;
  if (sentence) {
    for (const std::string& line : what_a_form_does(out)) {
      out.write(out.region.left, line, fonts::kSmall, scene.palette.soft);
      out.y += kRow;
    }
    out.y += 6;
  }
  const FormDifference& difference =
      memory.difference(scene.lane, scene.subject.step, scene.subject.layer, scene.subject.head);
  out.row("they differ by", fmt::format("{:.1e}", difference.largest_difference));
  out.row("in outputs up to", fmt::format("{:.2g}", difference.largest_output));
  const auto flops = [&](LatentForm form) {
    return flops_text(flops_in_form(scene.lane, scene.subject.step, form, scene.view.cache_on));
  };
  out.row("absorbed", flops(LatentForm::absorbed), true, scene.palette.soft);
  out.row("materialised", flops(LatentForm::materialised), true, scene.palette.soft);
  const float x = out.region.left + 4, top = out.y + 4;
  out.picture.shapes.push_back(
      Polyline{{{x - 4, top + 8}, {x, top}, {x + 4, top + 8}, {x - 4, top + 8}}, scene.palette.faint, 1});
  out.write(out.region.left + 14, "predicted, this step", fonts::kSmall, scene.palette.faint);
  out.y += kRow;
}

}  // namespace

int64_t bytes_read_by_head(const LaneView& lane, const AttentionSubject& subject, const AttentionWeights& weights) {
  int64_t values = 0;
  for (const Role role : lane.store->roles(subject.layer)) values += lane.store->dim(subject.layer, role);
  return (weights.context - weights.first_seen) * values * bytes_of(lane.store->dtype());
}

int64_t flops_in_form(const LaneView& lane, int64_t step, cpu::LatentForm form, bool cache_on) {
  Setting setting;
  setting.storage.cache = lane.facts->cache_dtype;
  setting.cache = cache_on ? CacheWork::on : CacheWork::off;
  setting.form = form == cpu::LatentForm::absorbed ? LatentWork::absorbed : LatentWork::materialised;
  const int64_t context = lane.context_at(step);
  if (step == 0) return prefill_cost(lane.config(), context, {}, setting).flops();
  return decode_step_cost(lane.config(), context, setting).flops();
}

void draw_attention_readouts(Picture& picture, const AttentionScene& scene, AttentionMemory& memory) {
  const bool latent = scene.subject.latent;
  Writer out{picture, scene, scene.layout.readouts, scene.layout.readouts.top};
  const float height = out.region.height();
  // In a low window the sentence about a form goes first, then what is read; the table takes what is left.
  const float sentence = latent ? kRow * static_cast<float>(what_a_form_does(out).size()) + 6 : 0;
  const float forms = latent ? kBlockGap + kTitle + kChoices + 5 * kRow : 0;
  const float reads = kBlockGap + kTitle + 3 * kRow;
  const float table = kTitle + 6 * kRow;
  const bool with_sentence = latent && height >= table + forms + reads + sentence;
  const bool with_reads = height >= table + forms + reads;
  const float left = height - forms - (with_sentence ? sentence : 0) - (with_reads ? reads : 0);
  const int64_t room = static_cast<int64_t>((left - kTitle) / kRow) - 1;
  if (room > 0) {
    write_most_read(out, std::min(room, std::ssize(scene.most)));
    out.y += kBlockGap;
  }
  if (with_reads) {
    write_what_is_read(out);
    out.y += kBlockGap;
  }
  if (latent) write_forms(out, memory, with_sentence);
}

}  // namespace kv::viewer
