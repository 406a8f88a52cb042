// What can be said about one head's weights in numbers: on which tokens they fall, how few hold half of them, and how
// high an axis must reach to show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/session/attention_view.h"

namespace kv::viewer {

struct ReadToken {
  int64_t position = 0;
  float weight = 0;
};
// The `count` positions that a head reads most, the first the most; equal ones by position.
std::vector<ReadToken> most_read(const AttentionWeights& weights, int64_t head, int64_t count);
// How many tokens, the most read first, hold at least half of a head's weight.
int64_t tokens_with_half(const AttentionWeights& weights, int64_t head);
float largest_weight(const AttentionWeights& weights, int64_t head);

// 1, 2 or 5 times a power of ten, the least that is not below `largest`; at most 1, which no weight exceeds.
double axis_top(float largest);
// From 0 to `top` in 4 or 5 equal parts, or where these would stand closer than `apart` pixels, in 2.
std::vector<double> axis_ticks(double top, float height, float apart = 26);

// Where a weight stands among the colours, 0..1: its square root, so that the many small ones can be told apart; `top`
// is the weight with the brightest.
double colour_place(double weight, double top);

// "0.312", "0.005"; "< 0.001", and "0" only for nothing at all.
std::string weight_text(double weight);
// As a tick has it: "0.05", "1".
std::string tick_text(double value);

}  // namespace kv::viewer
