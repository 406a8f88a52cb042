#include "viewer/draw/attention_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kv::viewer {

std::vector<ReadToken> most_read(const AttentionWeights& weights, int64_t head, int64_t count) {
  std::vector<ReadToken> tokens;
  for (int64_t position = weights.first_seen; position < weights.context; ++position)
    tokens.push_back({position, weights.at(head, position)});
  const auto before = [](const ReadToken& a, const ReadToken& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.position < b.position;
  };
  const auto end = tokens.begin() + std::clamp<int64_t>(count, 0, std::ssize(tokens));
  std::partial_sort(tokens.begin(), end, tokens.end(), before);
  tokens.erase(end, tokens.end());
  return tokens;
}

int64_t tokens_with_half(const AttentionWeights& weights, int64_t head) {
  const auto first = weights.values.begin() + head * weights.context;
  std::vector<float> heap(first + weights.first_seen, first + weights.context);
  std::make_heap(heap.begin(), heap.end());
  double sum = 0;
  int64_t count = 0;
  for (; sum < 0.5 && !heap.empty(); ++count) {
    sum += static_cast<double>(heap.front());
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  return count;
}

float largest_weight(const AttentionWeights& weights, int64_t head) {
  float largest = 0;
  for (int64_t position = weights.first_seen; position < weights.context; ++position)
    largest = std::max(largest, weights.at(head, position));
  return largest;
}

double axis_top(float largest) {
  const double wanted = static_cast<double>(largest);
  for (int power = 9; power >= 1; --power)
    for (const int mantissa : {1, 2, 5})
      if (const double top = mantissa / std::pow(10.0, power); top >= wanted) return top;
  return 1;
}

std::vector<double> axis_ticks(double top, float height, float apart) {
  const double power = std::pow(10.0, std::floor(std::log10(top) + 1e-9));
  const int mantissa = static_cast<int>(std::lround(top / power));
  int parts = mantissa == 2 ? 4 : 5;
  if (height / static_cast<float>(parts) < apart) parts = 2;
  std::vector<double> ticks;
  for (int i = 0; i <= parts; ++i) ticks.push_back(top * i / parts);
  return ticks;
}

double colour_place(double weight, double top) { return std::sqrt(weight / top); }

std::string weight_text(double weight) {
  if (weight == 0) return "0";
  return weight < 0.0005 ? "< 0.001" : fmt::format("{:.3f}", weight);
}

std::string tick_text(double value) { return fmt::format("{:.3g}", value); }

}  // namespace kv::viewer
