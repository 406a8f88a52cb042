// What the second scene says in its two upper lines, in each state.
#pragma once

#include <string>
#include <vector>

#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

// A headline in two colours: what is found comes last.
struct AttentionHeadline {
  std::string begin, found;
};
// From the longest to the shortest; the first that fits is drawn.
std::vector<AttentionHeadline> attention_headlines(const AttentionScene& scene);
// Where there are no weights to show.
std::vector<AttentionHeadline> headlines_without_weights(const RunView& run, const AttentionSubject& subject);

// The most important first; as many as fit are drawn.
std::vector<std::string> attention_sub_lines(const AttentionScene& scene);
std::vector<std::string> sub_lines_without_weights(const RunView& run, const AttentionSubject& subject);

}  // namespace kv::viewer
