#include "viewer/session/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace kv::viewer {

std::array<Candidate, kCandidates> likeliest_of(std::span<const float> logits, std::span<const int32_t> excluded) {
  for (size_t id = 0; id < logits.size(); ++id)
    if (std::isnan(logits[id]) || logits[id] == INFINITY)
      throw std::invalid_argument(
          fmt::format("the logit of token {} is {}: the computation went wrong before", id, logits[id]));

  std::vector<bool> allowed(logits.size(), true);
  for (const int32_t id : excluded)
    if (id >= 0 && static_cast<size_t>(id) < logits.size()) allowed[static_cast<size_t>(id)] = false;
  std::vector<int32_t> ids;
  for (size_t id = 0; id < logits.size(); ++id)
    if (allowed[id] && logits[id] != -INFINITY) ids.push_back(static_cast<int32_t>(id));
  if (ids.empty()) throw std::invalid_argument("there is no token to choose: all are excluded or impossible");

  const auto logit = [&](int32_t id) { return static_cast<double>(logits[static_cast<size_t>(id)]); };
  const size_t count = std::min(ids.size(), kCandidates);
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
                    [&](int32_t a, int32_t b) { return logit(a) > logit(b) || (logit(a) == logit(b) && a < b); });

  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const float value : logits) total += std::exp(static_cast<double>(value) - largest);
  std::array<Candidate, kCandidates> likeliest;
  for (size_t i = 0; i < count; ++i) likeliest[i] = {ids[i], std::exp(logit(ids[i]) - largest) / total};
  return likeliest;
}

}  // namespace kv::viewer
