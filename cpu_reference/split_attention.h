// The inside of attention: one split of at most kSplit positions, for the query heads of one KV head. In what order
// things are added is said in attention.h; attend and attention_weights both run this code, so that what is shown is
// what was computed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "cpu_reference/attention.h"
#include "cpu_reference/lanes.h"

namespace kv::cpu {

inline constexpr int64_t kSplit = 512;       // positions whose scores are held at once
inline constexpr int kHeadsAtOnce = 4;       // query heads that share the loads of a key or value
inline constexpr int kValueLanesAtOnce = 4;  // registers of a value row that are summed at once

// What one query head found in one split. With w = exp(score - maximum), weight is the sum of w and output that of
// w * value.
template <class Scalar>
struct Partial {
  Scalar maximum;
  Scalar weight;
  Scalar* output;  // [value dim], padded to whole registers
};

// The positions that a row sees.
struct Range {
  int64_t begin, end;
  int64_t first_split() const { return begin / kSplit; }
  int64_t last_split() const { return (end - 1) / kSplit; }
  Range in_split(int64_t split) const { return {std::max(begin, split * kSplit), std::min(end, (split + 1) * kSplit)}; }
};

inline Range visible(const AttentionShape& shape, int64_t row) {
  const int64_t position = shape.first_position + row;
  return {shape.window > 0 ? std::max<int64_t>(0, position - shape.window + 1) : 0, position + 1};
}

inline int64_t padded_to_lanes(int64_t dim, int lanes) { return (dim + lanes - 1) / lanes * lanes; }

// Calls work with std::integral_constant<int, n> for n = min(count, most) until `count` things are done.
template <int most, class Work>
void in_groups(int64_t count, const Work& work) {
  int64_t done = 0;
  for (; count - done >= most; done += most) work(done, std::integral_constant<int, most>());
  if constexpr (most > 1)
    if (done < count) in_groups<most - 1>(count - done, [&](int64_t more, auto n) { work(done + more, n); });
}

// One KV head's share of one split: scores, softmax and weighted sum for the query heads of its group.
template <class Scalar, class Stored>
class SplitAttention {
 public:
  static constexpr int kBlock = kLanes<Scalar>;

  SplitAttention(int64_t heads, int64_t key_dim, int64_t value_dim)
      : heads_(heads),
        key_dim_(key_dim),
        value_dim_(value_dim),
        padded_key_dim_(padded_to_lanes(key_dim, kBlock)),
        queries_(static_cast<size_t>(heads * padded_key_dim_), Scalar(0)),
        scores_(static_cast<size_t>(heads * kSplit)) {}

  // query: [heads, key dim]; partials: [heads].
  void compute(const Scalar* query, const StoredRows& keys, const StoredRows& values, int64_t kv_head, Range range,
               Scalar scale, Partial<Scalar>* partials) {
    weigh(query, keys, kv_head, range, scale, partials);
    const int64_t base = first_lane(range);
    find_rows(values, kv_head, base, range);
    in_groups<kHeadsAtOnce>(
        heads_, [&](int64_t h, auto n) { add_values<n()>(h, range.begin - base, range.end - base, partials); });
  }

  // The first half of that: scores, maxima and sums of weights.
  void weigh(const Scalar* query, const StoredRows& keys, int64_t kv_head, Range range, Scalar scale,
             Partial<Scalar>* partials) {
    for (int64_t h = 0; h < heads_; ++h)
      std::copy_n(query + h * key_dim_, key_dim_, queries_.data() + h * padded_key_dim_);
    const int64_t base = first_lane(range);
    find_rows(keys, kv_head, base, range);
    for (int64_t block = 0; block < blocks_; ++block)
      in_groups<kHeadsAtOnce>(heads_, [&](int64_t h, auto n) { score_block<n()>(h, block, scale); });
    for (int64_t h = 0; h < heads_; ++h) soften(h, base, range, partials[h]);
  }

  // After weigh: exp(score - maximum) of a head, for each position of the range.
  const Scalar* weights(int64_t head, Range range) const {
    return scores_.data() + head * kSplit + (range.begin - first_lane(range));
  }

 private:
  // Position of lane 0 of the first block.
  static int64_t first_lane(Range range) { return range.begin / kBlock * kBlock; }

  // Where each lane's row lies. Lanes out of range read a row that is in range; what they score is thrown away.
  void find_rows(const StoredRows& stored, int64_t kv_head, int64_t base, Range range) {
    blocks_ = (range.end - base + kBlock - 1) / kBlock;
    const auto* head = reinterpret_cast<const Stored*>(stored.row(kv_head, 0));
    int64_t slot = range.begin % stored.slots;  // one division: a ring wraps by comparison
    const Stored* row = head + slot * stored.row_stride;
    std::fill(rows_.begin(), rows_.begin() + (range.begin - base), row);
    for (int64_t i = range.begin - base; i < range.end - base; ++i) {
      row = head + slot * stored.row_stride;
      rows_[static_cast<size_t>(i)] = row;
      if (++slot == stored.slots) slot = 0;
    }
    std::fill(rows_.begin() + (range.end - base), rows_.begin() + blocks_ * kBlock, row);
  }

  // Scores of one block's keys for n query heads: a dot product each, kLanes partial sums that are then added by one
  // transposition.
  template <int n>
  void score_block(int64_t first_head, int64_t block, Scalar scale) {
    Eigen::internal::PacketBlock<Lanes<Scalar>, kBlock> sums[n];
    const Stored* const* rows = rows_.data() + block * kBlock;
    const Scalar* queries = queries_.data() + first_head * padded_key_dim_;
    constexpr int kKeysAtOnce = std::min(n == 1 ? 4 : 2, kBlock);  // enough sums to hide a multiply-add's latency
    static_assert(kBlock % kKeysAtOnce == 0 && kSplit % kBlock == 0);
    for (int j = 0; j < kBlock; j += kKeysAtOnce) {
      Lanes<Scalar> dot[kKeysAtOnce][n];
      for (auto& key : dot)
        for (auto& sum : key) sum = zero_lanes<Scalar>();
      const int64_t whole = key_dim_ - key_dim_ % kBlock;
      const auto step = [&](int64_t i, const auto& load_key) {
        Lanes<Scalar> key[kKeysAtOnce];
        for (int k = 0; k < kKeysAtOnce; ++k) key[k] = load_key(rows[j + k] + i);
        for (int h = 0; h < n; ++h) {
          const Lanes<Scalar> q = load<Scalar>(queries + h * padded_key_dim_ + i);
          for (int k = 0; k < kKeysAtOnce; ++k) dot[k][h] = fused(q, key[k], dot[k][h]);
        }
      };
      for (int64_t i = 0; i < whole; i += kBlock) step(i, [](const Stored* at) { return load<Scalar>(at); });
      if (whole < key_dim_) step(whole, [&](const Stored* at) { return load_padded<Scalar>(at, key_dim_ - whole); });
      for (int k = 0; k < kKeysAtOnce; ++k)
        for (int h = 0; h < n; ++h) sums[h].packet[j + k] = dot[k][h];
    }
    for (int h = 0; h < n; ++h)
      store(scores_.data() + (first_head + h) * kSplit + block * kBlock,
            Eigen::internal::pmul(sums_of_rows<Scalar>(sums[h]), all_lanes(scale)));
  }

  // Turns a head's scores into exp(score - maximum), and sums them by lanes. Lanes out of range become zero.
  void soften(int64_t head, int64_t base, Range range, Partial<Scalar>& partial) {
    Scalar* scores = scores_.data() + head * kSplit;
    const int64_t begin = range.begin - base, end = range.end - base, padded = blocks_ * kBlock;
    std::fill(scores, scores + begin, -std::numeric_limits<Scalar>::infinity());
    std::fill(scores + end, scores + padded, -std::numeric_limits<Scalar>::infinity());
    Lanes<Scalar> greatest = load<Scalar>(scores);
    for (int64_t i = kBlock; i < padded; i += kBlock)
      greatest = Eigen::internal::pmax(greatest, load<Scalar>(scores + i));
    partial.maximum = Eigen::internal::predux_max(greatest);
    const Lanes<Scalar> maximum = all_lanes(partial.maximum);
    Lanes<Scalar> sum = zero_lanes<Scalar>();
    for (int64_t i = 0; i < padded; i += kBlock) {
      store(scores + i, exp_lanes(Eigen::internal::psub(load<Scalar>(scores + i), maximum)));
      // The library's exp of minus infinity is tiny, not zero.
      if (i < begin) std::fill(scores + i, scores + begin, Scalar(0));
      if (i + kBlock > end) std::fill(scores + end, scores + padded, Scalar(0));
      sum = Eigen::internal::padd(sum, load<Scalar>(scores + i));
    }
    partial.weight = sum_of_lanes<Scalar>(sum);
  }

  // Adds weight * value over ascending positions, for n heads, a few registers of the row at a time.
  template <int n>
  void add_values(int64_t first_head, int64_t begin, int64_t end, Partial<Scalar>* partials) {
    const Scalar* weights = scores_.data() + first_head * kSplit;
    const int64_t whole = value_dim_ / kBlock;
    const auto add = [&](int64_t lane_group, auto width, const auto& load_value) {
      Lanes<Scalar> sums[n][width()];
      for (auto& head : sums)
        for (auto& sum : head) sum = zero_lanes<Scalar>();
      for (int64_t j = begin; j < end; ++j) {
        Lanes<Scalar> value[width()];
        for (int d = 0; d < width(); ++d)
          value[d] = load_value(rows_[static_cast<size_t>(j)] + (lane_group + d) * kBlock);
        for (int h = 0; h < n; ++h) {
          const Lanes<Scalar> weight = all_lanes(weights[h * kSplit + j]);
          for (int d = 0; d < width(); ++d) sums[h][d] = fused(weight, value[d], sums[h][d]);
        }
      }
      for (int h = 0; h < n; ++h)
        for (int d = 0; d < width(); ++d)
          store(partials[first_head + h].output + (lane_group + d) * kBlock, sums[h][d]);
    };
    in_groups<kValueLanesAtOnce>(whole, [&](int64_t lane_group, auto width) {
      add(lane_group, width, [](const Stored* at) { return load<Scalar>(at); });
    });
    if (value_dim_ % kBlock != 0)
      add(whole, std::integral_constant<int, 1>(),
          [&](const Stored* at) { return load_padded<Scalar>(at, value_dim_ % kBlock); });
  }

  int64_t heads_, key_dim_, value_dim_, padded_key_dim_;
  int64_t blocks_ = 0;
  std::vector<Scalar> queries_;               // [heads, padded key dim]
  std::vector<Scalar> scores_;                // [heads, kSplit], then the weights in their place
  std::array<const Stored*, kSplit> rows_{};  // of the split's keys, then of its values
};

// Calls join(split, keep, take) for each split of one row and head in ascending order: what is joined already is worth
// `keep` of what it was, and the split `take`. Returns the whole weight.
template <class Scalar, class Join>
Scalar join_splits(const Partial<Scalar>* partials, int64_t splits, int64_t stride, const Join& join) {
  Scalar maximum = -std::numeric_limits<Scalar>::infinity(), weight = 0;
  for (int64_t s = 0; s < splits; ++s) {
    const Partial<Scalar>& split = partials[s * stride];
    const Scalar greatest = std::max(maximum, split.maximum);
    const Scalar keep = std::exp(maximum - greatest), take = std::exp(split.maximum - greatest);
    weight = weight * keep + split.weight * take;
    join(s, keep, take);
    maximum = greatest;
  }
  return weight;
}

}  // namespace kv::cpu
