// The flagship claim, checked on any model: the cache changes nothing but the cost.
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "cpu_reference/transformer.h"
#include "tests/support/compare.h"

namespace kv::test {

// For each storage type, each latent form and 1 and 2 threads, each on its own: the logits of all rows are the same
// bits without a cache, with a one-piece prefill, and in the splits (1,13), (13,1), (10,4), (5,5,4) and fourteen 1s.
inline void check_cache_changes_nothing(const cpu::Model& model, const std::vector<int32_t>& tokens) {
  using cpu::LatentForm;
  REQUIRE(tokens.size() == 14);
  const std::vector<std::vector<size_t>> splits = {{14},    {1, 13},   {13, 1},
                                                   {10, 4}, {5, 5, 4}, std::vector<size_t>(14, 1)};
  std::vector<LatentForm> forms = {LatentForm::absorbed};
  if (model.config.has_latent_attention()) forms.push_back(LatentForm::materialised);
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16})
    for (const LatentForm form : forms) {
      cpu::Team one(1);
      const cpu::Matrix<float> expected =
          cpu::forward_without_cache<float>(model, tokens, dtype, form, cpu::LogitRows::all, cpu::Run{one});
      for (const int threads : {1, 2}) {
        cpu::Team team(threads, 1);
        const cpu::Run run{team};
        INFO(model.config.name, ", cache ", std::string(name_of(dtype)), ", form ", static_cast<int>(form),
             ", threads ", threads);
        CHECK(same_bits(expected,
                        cpu::forward_without_cache<float>(model, tokens, dtype, form, cpu::LogitRows::all, run)));
        for (const std::vector<size_t>& split : splits) {
          cpu::KvCache cache(model.config, 14, dtype);
          cpu::Matrix<float> got(14, model.config.vocab);
          size_t done = 0;
          for (const size_t count : split) {
            got.middleRows(static_cast<int64_t>(done), static_cast<int64_t>(count)) = cpu::prefill<float>(
                model, std::span(tokens).subspan(done, count), cache, form, cpu::LogitRows::all, run);
            done += count;
          }
          CHECK_MESSAGE(same_bits(expected, got), "pieces: ", split.size(), ", the first of ", split[0]);
          CHECK(cache.length() == 14);
        }
      }
    }
}

}  // namespace kv::test
