#include "viewer/draw/attention_sentences.h"

#include <fmt/format.h>

#include <cmath>

#include "viewer/draw/cache_words.h"
#include "viewer/draw/token_strip.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr float kLongestToken = 150;  // pixels of a headline

// In quotation marks, but an id, which is no text.
std::string short_token(const AttentionScene& scene, int64_t position) {
  if (!scene.lane.facts->model->tokenizer) return text_at(scene.lane, position, scene.measure);
  return '"' + shortened(text_at(scene.lane, position, scene.measure), fonts::kTitle, kLongestToken, scene.measure) +
         '"';
}

}  // namespace

std::vector<AttentionHeadline> attention_headlines(const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const int64_t read = scene.weights.context - scene.weights.first_seen;
  const int64_t half = tokens_with_half(scene.weights, subject.head);
  const std::string newest = short_token(scene, subject.context - 1);
  const std::string on = half == 1 ? short_token(scene, scene.most.front().position) : with_commas(half);
  const std::string tokens = read < subject.context
                                 ? fmt::format("{} of {} tokens", with_commas(read), with_commas(subject.context))
                                 : count_of(read, "token");
  // One token with half of the weight or more is named, with its share.
  const double most = static_cast<double>(scene.most.front().weight);
  const std::string share = half > 1 ? "half" : most < 1 && most >= 0.995 ? "over 99 %" : percent_text(most, 1);
  return {
      {fmt::format("To write on after {}, head {} of layer {} reads {}: ", newest, subject.head, subject.layer, tokens),
       fmt::format("{} of its weight falls on {}{}.", share, on, half > 1 ? " of them" : "")},
      {fmt::format("After {}, head {} of layer {} reads {}: ", newest, subject.head, subject.layer, tokens),
       fmt::format("{} of its weight on {}.", share, on)},
      {fmt::format("Head {} of layer {} reads {}: ", subject.head, subject.layer, tokens),
       fmt::format("{} on {}.", share, on)},
      {fmt::format("{}: ", tokens), fmt::format("{} of the weight on {}.", share, on)}};
}

std::vector<AttentionHeadline> headlines_without_weights(const RunView& run, const AttentionSubject& subject) {
  using State = AttentionSubject::State;
  if (subject.state == State::no_lane) return {{"There is no model to look at.", ""}};
  const LaneView& lane = run.lanes[static_cast<size_t>(subject.lane)];
  if (subject.state == State::no_attention)
    return {{fmt::format("Layer {} of {} keeps no keys and values: ", subject.layer, lane.facts->label),
             "it has no attention."},
            {fmt::format("Layer {}: ", subject.layer), "no attention."}};
  if (lane.failed) return {{fmt::format("{} stopped before its first step.", lane.facts->label), ""}};
  const std::string total = count_of(std::ssize(lane.facts->prompt), "token");
  if (lane.prompt_read == 0) return {{fmt::format("Nothing is read yet of the prompt's {}.", total), ""}};
  return {{"Reading the prompt: ", fmt::format("{} of {}.", with_commas(lane.prompt_read), total)}};
}

std::vector<std::string> attention_sub_lines(const AttentionScene& scene) {
  const AttentionSubject& subject = scene.subject;
  const ViewState& view = scene.view;
  std::vector<std::string> lines;
  if (!scene.lane.stopped.empty() && subject.step == scene.lane.last_step() && view.step >= subject.step)
    lines.push_back(fmt::format("{} stopped here: {}.", scene.lane.facts->label, scene.lane.stopped));
  if (!view.cache_on)
    lines.push_back(
        fmt::format("The cache is off: the same weights, bit for bit, from keys and values of all {} that "
                    "are computed anew.",
                    count_of(subject.context, "token")));
  const std::string ring = subject.by_slot() ? ring_words(*scene.lane.facts, subject.layer) : "";
  const std::string window = fmt::format("This layer sees {}.", count_of(subject.window, "position"));
  if (subject.by_slot())
    lines.push_back(view.cache_on ? fmt::format("By slot: {}. Hollow: left over, not read.", ring)
                                  : fmt::format("By slot, as they would lie in the cache: {}.", ring));
  else if (subject.first_kept > 0)
    lines.push_back(window + (view.cache_on ? " Hollow: computed once, no longer kept." : " Hatched: not seen."));
  if (const double width = scene.layout.axis.token_width(); width < 1)
    lines.push_back(fmt::format("A bar is {} tokens: the largest of their weights.", fmt::format("{:.3g}", 1 / width)));
  if (subject.step == 0)
    lines.push_back(
        fmt::format("Step 0 reads the whole prompt; this is its last of {}.", count_of(subject.context, "row")));
  lines.push_back("A bar is a weight; all of a head add up to 1.");
  lines.push_back(view.cache_on ? "Below it, filled: stored, with an edge: read in this step."
                                : "Below it, with an edge: read in this step, then dropped.");
  return lines;
}

std::vector<std::string> sub_lines_without_weights(const RunView& run, const AttentionSubject& subject) {
  using State = AttentionSubject::State;
  if (subject.state == State::no_lane) return {};
  const LaneView& lane = run.lanes[static_cast<size_t>(subject.lane)];
  if (subject.state == State::no_attention) return {"Its state does not grow with the context. Choose another layer."};
  if (lane.failed) return {lane.stopped};
  return {"The weights of its last token can be seen as soon as all of it is read."};
}

}  // namespace kv::viewer
