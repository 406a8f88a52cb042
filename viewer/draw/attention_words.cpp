#include "viewer/draw/attention_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/draw/attention_memory.h"
#include "viewer/draw/attention_ranking.h"
#include "viewer/draw/attention_readouts.h"
#include "viewer/draw/attention_subject.h"
#include "viewer/draw/cache_words.h"
#include "viewer/draw/cell_facts.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr int64_t kNamed = 5;  // tokens that are named with their weight

// The words page is drawn anew with each frame.
AttentionMemory& memory() {
  static thread_local AttentionMemory kept;
  return kept;
}

std::string who_reads_what(const LaneView& lane, const AttentionSubject& subject) {
  std::string text = fmt::format("{}, layer {} of 0 to {}, query head {} of 0 to {}.", lane.facts->label, subject.layer,
                                 subject.layers - 1, subject.head, subject.heads - 1);
  const int64_t sharing = subject.heads_per_kv_head();
  if (subject.latent)
    return text + fmt::format(" All {} read the same latent and rope key.", count_of(subject.heads, "query head"));
  const int64_t first = subject.kv_head() * sharing;
  return text + (sharing == 1 ? fmt::format(" It alone reads KV head {}.", subject.kv_head())
                              : fmt::format(" It reads KV head {}, with query heads {} to {}.", subject.kv_head(),
                                            first, first + sharing - 1));
}

std::string what_it_reads(const LaneView& lane, const AttentionSubject& subject, const AttentionWeights& weights,
                          const ViewState& view) {
  const int64_t read = weights.context - weights.first_seen;
  const int32_t newest = lane.tokens[static_cast<size_t>(subject.context - 1)];
  const int64_t half = tokens_with_half(weights, subject.head);
  std::string text =
      fmt::format("To write on after {}, it reads {} of {}; half of its weight falls on {} of them.",
                  spoken_token(lane, newest), with_commas(read), count_of(subject.context, "token"), with_commas(half));
  if (subject.window > 0) text += fmt::format(" The layer sees {}.", count_of(subject.window, "position"));
  text += " Most read:";
  for (const ReadToken& token : most_read(weights, subject.head, std::min(kNamed, read)))
    text += fmt::format("{} {} at position {} with weight {}", text.back() == ':' ? "" : ",",
                        spoken_token(lane, lane.tokens[static_cast<size_t>(token.position)]),
                        with_commas(token.position), weight_text(static_cast<double>(token.weight)));
  text += ".";
  if (!view.cache_on)
    text += " Without the cache the weights are the same, bit for bit, and nothing is kept for the next step.";
  else
    text += fmt::format(" It reads {} of the cache.", bytes_text(bytes_read_by_head(lane, subject, weights)));
  if (subject.by_slot()) text += fmt::format(" Columns are slots of {}.", ring_words(*lane.facts, subject.layer));
  return text;
}

std::string forms(const LaneView& lane, const AttentionSubject& subject, const ViewState& view) {
  const FormDifference& difference = memory().difference(lane, subject.step, subject.layer, subject.head);
  const bool absorbed = view.form == cpu::LatentForm::absorbed;
  const auto flops = [&](cpu::LatentForm form) {
    return flops_text(flops_in_form(lane, subject.step, form, view.cache_on));
  };
  const char* latents = view.cache_on ? "the stored latents" : "latents that are computed anew";
  return fmt::format(
      "The weights are those of the {} form: {}. The two forms give the same but for rounding: head {}'s outputs "
      "differ by at most {:.1e} and reach {}. {} {} takes {} absorbed and {} materialised (predicted).",
      absorbed ? "absorbed" : "materialised",
      std::string(absorbed ? "the query is taken into the latent space and meets "
                           : "keys and values of every head are first built from ") +
          latents,
      subject.head, static_cast<double>(difference.largest_difference),
      number_in_words(static_cast<double>(difference.largest_output)), subject.step == 0 ? "Reading the" : "A step at",
      count_of(subject.context, "token"), flops(cpu::LatentForm::absorbed), flops(cpu::LatentForm::materialised));
}

}  // namespace

std::vector<std::string> attention_words(const RunView& run, const ViewState& view) {
  using State = AttentionSubject::State;
  const AttentionSubject subject = attention_subject(run, view);
  if (subject.state == State::no_lane) return {};
  const LaneView& lane = run.lanes[static_cast<size_t>(subject.lane)];
  if (subject.state == State::no_attention)
    return {
        fmt::format("Layer {} of {} keeps no keys and values: it has no attention.", subject.layer, lane.facts->label)};
  std::vector<std::string> paragraphs = {who_reads_what(lane, subject)};
  if (subject.state == State::nothing_yet) {
    paragraphs.push_back(fmt::format("Its weights can be told when the prompt is read: {} of {} so far.",
                                     with_commas(lane.prompt_read), count_of(std::ssize(lane.facts->prompt), "token")));
  } else {
    const AttentionWeights& weights = memory().weights(lane, subject.step, subject.layer, view.form);
    paragraphs.push_back(what_it_reads(lane, subject, weights, view));
    if (subject.latent) paragraphs.push_back(forms(lane, subject, view));
  }
  if (!lane.stopped.empty() && view.step >= lane.last_step())
    paragraphs.push_back(fmt::format("{} {}: {}{}", lane.facts->label, lane.failed ? "failed" : "stopped", lane.stopped,
                                     lane.stopped.ends_with('.') ? "" : "."));
  return paragraphs;
}

}  // namespace kv::viewer
