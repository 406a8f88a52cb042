#include "model/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace kv {

namespace {

struct Candidate {
  int32_t id;
  double weight;  // first the logit, then the probability before normalisation
};

bool likelier(const Candidate& a, const Candidate& b) {
  return a.weight > b.weight || (a.weight == b.weight && a.id < b.id);
}

std::vector<Candidate> candidates_of(std::span<const float> logits, std::span<const int32_t> excluded) {
  std::vector<bool> allowed(logits.size(), true);
  for (const int32_t id : excluded)
    if (id >= 0 && static_cast<size_t>(id) < logits.size()) allowed[static_cast<size_t>(id)] = false;

  std::vector<Candidate> candidates;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (std::isnan(logits[id]) || logits[id] == INFINITY)
      throw std::invalid_argument(
          fmt::format("the logit of token {} is {}: the computation went wrong before", id, logits[id]));
    if (allowed[id] && logits[id] != -INFINITY) candidates.push_back({static_cast<int32_t>(id), logits[id]});
  }
  if (candidates.empty()) throw std::invalid_argument("there is no token to choose: all are excluded or impossible");
  return candidates;
}

// Keeps the likeliest candidates that together hold `share` of the weight; at least one.
void keep_share(std::vector<Candidate>& candidates, double share) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  double kept = 0;
  size_t count = 0;
  while (count < candidates.size() && (count == 0 || kept < share * total)) kept += candidates[count++].weight;
  candidates.resize(count);
}

int32_t draw(const std::vector<Candidate>& candidates, double uniform) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  double left = uniform * total;
  for (const Candidate& candidate : candidates) {
    if (left < candidate.weight) return candidate.id;
    left -= candidate.weight;
  }
  return candidates.front().id;  // rounding used up the last one
}

}  // namespace

Sampler::Sampler(const SamplerSettings& settings) : settings_(settings), random_(settings.seed) {
  if (!(settings.temperature >= 0 && std::isfinite(settings.temperature)))
    throw std::invalid_argument(fmt::format("temperature is {}, expected 0 or more", settings.temperature));
  if (settings.top_k < 0) throw std::invalid_argument(fmt::format("top_k is {}, expected 0 or more", settings.top_k));
  if (!(settings.top_p > 0 && settings.top_p <= 1))
    throw std::invalid_argument(fmt::format("top_p is {}, expected above 0 and at most 1", settings.top_p));
}

int32_t Sampler::next(std::span<const float> logits, std::span<const int32_t> excluded) {
  std::vector<Candidate> candidates = candidates_of(logits, excluded);
  if (settings_.temperature == 0) return std::min_element(candidates.begin(), candidates.end(), likelier)->id;

  // Sort the likeliest to the front, and drop what top_k leaves out.
  std::sort(candidates.begin(), candidates.end(), likelier);
  if (settings_.top_k > 0 && static_cast<size_t>(settings_.top_k) < candidates.size())
    candidates.resize(static_cast<size_t>(settings_.top_k));

  // Softmax without its denominator.
  const double largest = candidates.front().weight;
  for (Candidate& candidate : candidates)
    candidate.weight = std::exp((candidate.weight - largest) / settings_.temperature);
  if (settings_.top_p < 1) keep_share(candidates, settings_.top_p);
  return draw(candidates, random_.uniform());
}

}  // namespace kv
