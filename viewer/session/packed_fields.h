// How steps lie in a run's file: every field in one fixed order, as 32-bit words, since the format's writer knows i32
// and f32. 64-bit numbers are two words, the lower first.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "viewer/session/recording.h"

namespace kv::viewer {

// Calls visit(field) for each, always in this order.
template <class Counted, class Visit>
void each_counter(Counted& counted, const Visit& visit) {
  visit(counted.matmul_flops);
  visit(counted.other_flops);
  visit(counted.weight_bytes);
  visit(counted.cache_bytes_read);
  visit(counted.cache_bytes_written);
  visit(counted.kv_projections);
  visit(counted.score_pairs);
}
template <class Time, class Visit>
void each_field_of_timing(Time& time, const Visit& visit) {
  visit(time.median);
  visit(time.least);
  visit(time.most);
  visit(time.takes);
}
template <class AnyStep, class Visit>
void each_field(AnyStep& step, const Visit& visit) requires requires {
  step.likeliest;
}
{
  visit(step.first_position);
  visit(step.tokens);
  each_counter(step.counted, visit);
  each_field_of_timing(step.time, visit);
  for (auto& candidate : step.likeliest) {
    visit(candidate.token);
    visit(candidate.probability);
  }
}
template <class AnyStep, class Visit>
void each_field(AnyStep& step, const Visit& visit) requires requires {
  step.context = 0;
} || requires {
  step.context < 0;
}
{
  visit(step.context);
  each_counter(step.counted, visit);
  each_field_of_timing(step.time, visit);
}

// Words of one record of this type.
template <class Record>
size_t words_of() {
  Record record;
  size_t words = 0;
  each_field(record, [&](const auto& field) { words += sizeof field / sizeof(int32_t); });
  return words;
}

template <class Record>
void pack(const Record& record, std::vector<int32_t>& words) {
  each_field(record, [&](const auto& field) {
    if constexpr (sizeof field == sizeof(int32_t)) {
      words.push_back(static_cast<int32_t>(field));
    } else {
      const auto bits = std::bit_cast<uint64_t>(field);
      words.push_back(static_cast<int32_t>(static_cast<uint32_t>(bits)));
      words.push_back(static_cast<int32_t>(static_cast<uint32_t>(bits >> 32)));
    }
  });
}

// words: [words_of<Record>()].
template <class Record>
Record unpack(std::span<const int32_t> words) {
  Record record;
  size_t at = 0;
  each_field(record, [&]<class Field>(Field& field) {
    if constexpr (sizeof field == sizeof(int32_t)) {
      field = words[at++];
    } else {
      const auto low = static_cast<uint32_t>(words[at]), high = static_cast<uint32_t>(words[at + 1]);
      field = std::bit_cast<Field>(static_cast<uint64_t>(high) << 32 | low);
      at += 2;
    }
  });
  return record;
}

}  // namespace kv::viewer
