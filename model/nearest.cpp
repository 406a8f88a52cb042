#include "model/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kv {

namespace {

// Insertions, deletions and replacements that turn a into b (Levenshtein), one row of the table at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  size_t least = std::max<size_t>(2, word.size() / 3);
  for (const std::string& name : known) {
    const size_t distance = edit_distance(word, name);
    if (distance < least) near.clear();
    if (distance <= least) near.push_back(name);
    least = std::min(least, distance);
  }
  return near;
}

}  // namespace kv
